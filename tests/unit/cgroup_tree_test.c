// SPDX-License-Identifier: GPL-2.0-only
/* The cgroup v2 hierarchy: of directories that the test makes, and of this machine's own kernel. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "auxbpf_shared.h"
#include "check.h"
#include "containers/cgroup_mounts.h"
#include "containers/cgroup_tree.h"
#include "root_dir.h"

#define HYBRID                                                                                           \
	"22 1 0:20 / /proc rw,nosuid - proc proc rw\n"                                                   \
	"30 28 0:25 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"            \
	"31 28 0:26 / /sys/fs/cgroup/systemd rw,relatime shared:10 - cgroup cgroup rw,name=systemd\n"    \
	"40 28 0:27 /part /tmp/of/a\\040container rw,relatime - cgroup2 cgroup2 rw\n"                    \
	"41 28 0:27 / /sys/fs/cgroup/uni\\040fied rw,relatime shared:11 master:3 - cgroup2 cgroup2 rw\n" \
	"42 28 0:27 / /mnt/again rw,relatime - cgroup2 cgroup2 rw\n"
#define V2 "/sys/fs/cgroup/uni fied"

static void make_tree(const struct root_dir *root)
{
	CHECK(root_dir__put(root, "/proc/self/mountinfo", HYBRID));
	CHECK(root_dir__put(root, V2 "/cgroup.procs", "1\n2\n"));
	CHECK(root_dir__put(root, V2 "/system.slice/cgroup.procs", ""));
	CHECK(root_dir__put(root, V2 "/system.slice/nginx.service/cgroup.procs", ""));
	CHECK(root_dir__put(root, V2 "/system.slice/nginx.service/worker/cgroup.procs", "77\n78\n"));
	CHECK(root_dir__put(root, V2 "/system.slice/cron.service/cgroup.procs", "0\n"));
	CHECK(root_dir__put(root, V2 "/docker/1234/cgroup.procs", "99\n"));
	CHECK(root_dir__put(root, "/sys/fs/cgroup/memory/only/cgroup.procs", "5\n"));
}

static void test_mounts(const struct root_dir *root)
{
	struct cgroup_mounts mounts;

	CHECK_EQ(cgroup_mounts__read(root->path, &mounts), 0);
	CHECK_STREQ(mounts.v2, V2);
	CHECK_EQ(mounts.nr_v1, 2);
	CHECK_STREQ(mounts.v1[0], "/sys/fs/cgroup/memory");
	cgroup_mounts__release(&mounts);
	CHECK_EQ(cgroup_mounts__read("/nowhere", &mounts), -ENOENT);
	cgroup_mounts__release(&mounts);
	CHECK_STREQ(cgroup_mounts__strip("/a/b", "/a/b/c"), "/c");
	CHECK_STREQ(cgroup_mounts__strip("/a/b", "/a/b"), "");
	CHECK(!cgroup_mounts__strip("/a/b", "/a/bc"));
}

/* A backslash that no three digits follow stands for itself, at the end of the path too. */
static void test_escapes(void)
{
	struct cgroup_mounts mounts;
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return;
	CHECK(root_dir__put(
		&root, "/proc/self/mountinfo",
		"30 28 0:25 / /a\\1349\\9b\\ rw - cgroup cgroup rw\n31 28 0:26 / /c\\4 rw - cgroup2 c rw\n"));
	CHECK_EQ(cgroup_mounts__read(root.path, &mounts), 0);
	CHECK_STREQ(mounts.v1[0], "/a\\9\\9b\\");
	CHECK_STREQ(mounts.v2, "/c\\4");
	cgroup_mounts__release(&mounts);
	root_dir__remove(&root);
}

static void test_unmounted(void)
{
	struct cgroup_tree *tree = NULL;
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return;
	CHECK(root_dir__put(
		&root, "/proc/self/mountinfo",
		"30 28 0:25 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\nbroken - \n"
		"1 2 - cgroup2\n - cgroup2 a b\n"));
	CHECK_EQ(cgroup_tree__open(root.path, &tree), -ENOTSUP);
	CHECK_EQ(cgroup_tree__open("/nowhere", &tree), -ENOENT);
	CHECK(!tree);
	root_dir__remove(&root);
}

static void expect(const struct cgroup_tree *tree, const char *text, const char *expected)
{
	_cleanup_free_ char *path = NULL;

	if (CHECK_EQ(cgroup_tree__find(tree, text, &path), 0))
		CHECK_STREQ(path, expected);
}

static void test_find(const struct cgroup_tree *tree)
{
	_cleanup_free_ char *path = NULL;
	uint64_t id = 0;
	char text[32];

	expect(tree, "/system.slice/nginx.service", "/system.slice/nginx.service");
	expect(tree, "system.slice//nginx.service/", "/system.slice/nginx.service");
	expect(tree, V2 "/system.slice", "/system.slice");
	expect(tree, V2, "/");
	expect(tree, "/", "/");
	expect(tree, "docker/1234", "/docker/1234");
	CHECK_EQ(cgroup_tree__id(tree, "/docker/1234", &id), 0);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)id);
	expect(tree, text, "/docker/1234");
	CHECK_EQ(cgroup_tree__find(tree, "1", &path), -ENOENT);
	CHECK_EQ(cgroup_tree__find(tree, "08", &path), -ENOENT);
	CHECK_EQ(cgroup_tree__find(tree, "99999999999999999999999", &path), -ENOENT);
	CHECK_EQ(cgroup_tree__find(tree, "", &path), -EINVAL);
	CHECK_EQ(cgroup_tree__find(tree, "system.slice/../docker", &path), -EINVAL);
	CHECK_EQ(cgroup_tree__find(tree, "./docker", &path), -EINVAL);
	CHECK_EQ(cgroup_tree__find(tree, "/system.slice/ngnix.service", &path), -ENOENT);
	CHECK_EQ(cgroup_tree__find(tree, "/docker/1234/cgroup.procs", &path), -ENOTDIR);
	CHECK_EQ(cgroup_tree__find(tree, "/only", &path), -ENOENT);
	CHECK_EQ(cgroup_tree__find(tree, "/sys/fs/cgroup/memory/only", &path), -ENOENT);
	CHECK(!path);
}

struct visited {
	char text[1 << 16];
	size_t len;
	size_t nr_long;
};

static int visit(void *ctx, const char *path, uint64_t id)
{
	struct visited *v = ctx;

	v->nr_long += !path;
	if (!path)
		return 0;
	v->len += (size_t)snprintf(v->text + v->len, sizeof(v->text) - v->len, "%s ", path);
	return strstr(path, "stop") ? 42 : 0;
}

static void test_walk(const struct cgroup_tree *tree)
{
	struct visited v = {0};

	CHECK_EQ(cgroup_tree__walk(tree, "/system.slice/nginx.service", visit, &v), 0);
	CHECK_STREQ(v.text, "/system.slice/nginx.service /system.slice/nginx.service/worker ");
	v.len = 0;
	CHECK_EQ(cgroup_tree__walk(tree, "/", visit, &v), 0);
	CHECK(!strncmp(v.text, "/ /", 3));
	CHECK(strstr(v.text, " /system.slice/nginx.service/worker "));
	CHECK_EQ(cgroup_tree__walk(tree, "/nothing", visit, &v), -ENOENT);
}

#define DEEP 60
#define DEEP_NAME 250

/* One in the other, below "/docker"; none of them can be named by its whole path any more. */
static void make_deep(const struct root_dir *root)
{
	char name[DEEP_NAME + 1], top[PATH_MAX];
	int dir, next;

	memset(name, 'd', DEEP_NAME);
	name[DEEP_NAME] = '\0';
	snprintf(top, sizeof(top), "%s" V2 "/docker", root->path);
	dir = open(top, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < DEEP && CHECK(dir >= 0); i++) {
		CHECK_EQ(mkdirat(dir, name, 0755), 0);
		next = openat(dir, name, O_RDONLY | O_DIRECTORY);
		close(dir);
		dir = next;
	}
	close(dir);
}

static int count_ids(void *ctx, const char *path, uint64_t id)
{
	size_t *nr = ctx;

	*nr += id != 0;
	return 0;
}

/* Any user who may make cgroups may do so: all else goes on, and what counts by its id alone is there. */
static void test_deep(const struct root_dir *root, const struct cgroup_tree *tree)
{
	_cleanup_cgroup_set_ struct cgroup_set before = {0}, after = {0};
	struct visited v = {0};
	size_t nr = 0;
	int pids[8];

	CHECK_EQ(cgroup_tree__add_subtree(tree, "/", &before), 0);
	make_deep(root);
	CHECK_EQ(cgroup_tree__walk(tree, "/system.slice/nginx.service", visit, &v), 0);
	CHECK_EQ(cgroup_tree__add_subtree(tree, "/", &after), 0);
	CHECK_EQ(after.nr, before.nr + DEEP);
	CHECK_EQ(cgroup_tree__walk(tree, "/docker", count_ids, &nr), 0);
	CHECK_EQ(nr, DEEP + 2);
	v.len = 0;
	CHECK_EQ(cgroup_tree__walk(tree, "/docker", visit, &v), 0);
	CHECK_EQ(v.nr_long, DEEP - PATH_MAX / (DEEP_NAME + 1));
	CHECK_EQ(cgroup_tree__pids(tree, "/", pids, 8), 3);
	expect(tree, "docker/1234", "/docker/1234");
}

static void test_pids(const struct cgroup_tree *tree)
{
	int pids[8];

	CHECK_EQ(cgroup_tree__pids(tree, "/system.slice", pids, 8), 1);
	CHECK_EQ(pids[0], 77);
	CHECK_EQ(cgroup_tree__pids(tree, "/", pids, 8), 3);
	CHECK_EQ(pids[0], 1);
	CHECK_EQ(cgroup_tree__pids(tree, "/", pids, 2), 2);
	CHECK_EQ(cgroup_tree__pids(tree, "/", pids, 0), 0);
	CHECK_EQ(cgroup_tree__pids(tree, "/system.slice/cron.service", pids, 8), 0);
	CHECK_EQ(cgroup_tree__pids(tree, "/nothing", pids, 8), 0);
}

static void test_set(const struct cgroup_tree *tree)
{
	_cleanup_cgroup_set_ struct cgroup_set set = {0};
	char path[AUXBPF_CGROUP_PATH + 1];
	uint64_t id;

	CHECK_EQ(cgroup_tree__add_subtree(tree, "/system.slice", &set), 0);
	CHECK_EQ(set.nr, 4);
	CHECK_EQ(cgroup_tree__add_subtree(tree, "/docker/1234", &set), 0);
	CHECK_EQ(set.nr, 5);
	CHECK_EQ(cgroup_tree__id(tree, "/docker/1234", &id), 0);
	CHECK_EQ(set.ids[4], id);
	CHECK_EQ(cgroup_tree__add_subtree(tree, "/nothing", &set), -ENOENT);
	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	CHECK_EQ(cgroup_tree__add_subtree(tree, path, &set), -ENAMETOOLONG);
	CHECK_EQ(set.nr, 5);
}

struct machine {
	const char *mount;
	unsigned int nr;
};

/* The id in a file handle of cgroupfs is what BPF sees: 8 bytes, the kernfs node's id. */
static int compare_handle(void *ctx, const char *path, uint64_t id)
{
	struct machine *m = ctx;
	union {
		struct file_handle handle;
		char space[sizeof(struct file_handle) + 8];
	} u = {.handle.handle_bytes = 8};
	char name[PATH_MAX * 2];
	uint64_t expected;
	int mount_id;

	snprintf(name, sizeof(name), "%s%s", m->mount, path);
	if (name_to_handle_at(AT_FDCWD, name, &u.handle, &mount_id, 0))
		return errno == ENOENT ? 0 : -errno;
	memcpy(&expected, u.handle.f_handle, sizeof(expected));
	CHECK_EQ(id, expected);
	m->nr++;
	return 0;
}

static void test_machine(void)
{
	struct cgroup_tree *tree = NULL;
	struct cgroup_mounts mounts;
	struct machine m = {0};
	int pid;

	if (!CHECK_EQ(cgroup_tree__open("", &tree), 0))
		return;
	CHECK_EQ(cgroup_mounts__read("", &mounts), 0);
	m.mount = mounts.v2;
	CHECK_EQ(cgroup_tree__walk(tree, "/", compare_handle, &m), 0);
	CHECK(m.nr);
	CHECK_EQ(cgroup_tree__pids(tree, "/", &pid, 1), 1);
	cgroup_mounts__release(&mounts);
	cgroup_tree__free(tree);
}

int main(void)
{
	struct cgroup_tree *tree = NULL;
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	make_tree(&root);
	test_mounts(&root);
	test_escapes();
	test_unmounted();
	if (CHECK_EQ(cgroup_tree__open(root.path, &tree), 0)) {
		test_find(tree);
		test_walk(tree);
		test_pids(tree);
		test_set(tree);
		test_deep(&root, tree);
	}
	cgroup_tree__free(tree);
	cgroup_tree__free(NULL);
	test_machine();
	root_dir__remove(&root);
	return check__done();
}
