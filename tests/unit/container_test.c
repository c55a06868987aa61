// SPDX-License-Identifier: GPL-2.0-only
/* Names of containers, from cgroups and runtimes' files that the test makes; the whole of it is in
 * container.bats. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "check.h"
#include "containers/container.h"
#include "containers/container_state.h"
#include "root_dir.h"

#define V2 "/sys/fs/cgroup"
#define HEX "3f1c5a9be0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb"
#define HEX2 "3f1cffffe0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb"
#define UID "2c48913c-b29f-11e7-9350-020968147796"
#define TASK "/run/containerd/io.containerd.runtime.v2.task/"
#define STORAGE "/var/lib/containers/storage/overlay-containers/"

static const char *const cgroups[] = {
	"/docker/" HEX,
	"/docker/" HEX "/docker/" HEX2,
	"/docker/" HEX "/system.slice/cron.service",
	"/system.slice/cron.service",
	"/user.slice/user-1.slice/user@1.service/app.slice/app.service",
	"/user.slice/user-2.slice/user@2.service/app.slice/app.service",
	"/machine.slice/libpod-" HEX2 ".scope",
	"/kubepods/pod" UID "/" HEX2,
	"/web",
	"/lxc.payload.web",
	"/a/twice/" HEX2,
};

static void make_root(const struct root_dir *root)
{
	char name[512];

	CHECK(root_dir__put(root, "/proc/self/mountinfo", "30 28 0:25 / " V2 " rw - cgroup2 cgroup2 rw\n"));
	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++) {
		snprintf(name, sizeof(name), V2 "%s/cgroup.procs", cgroups[i]);
		CHECK(root_dir__put(root, name, ""));
	}
	CHECK(root_dir__put(root, "/var/lib/docker/containers/x/config.v2.json",
			    "{\"ID\":\"" HEX "\",\"Name\":\"/db\"}"));
	CHECK(root_dir__put(root, "/run/crun/web/status", "{\"cgroup-path\":\"/web\"}"));
	CHECK(root_dir__put(root, "/run/runc/gone/state.json", "{\"id\":\"gone\"}"));
	CHECK(root_dir__put(
		root, TASK "ns/" HEX2 "/config.json",
		"{\"annotations\":{\"nerdctl/name\":\"nerd\"},\"linux\":{\"cgroupsPath\":\"a:b:c\"}}"));
}

/* The number of cgroups, or the error; @path is the first one. */
static void expect(const struct cgroup_tree *tree, const char *text, int nr, const char *path)
{
	_cleanup_container_paths_ struct container_paths paths = {0};
	int err = container__find(tree, text, CONTAINER_ONE, &paths);

	if (!CHECK_EQ(err ? err : (int)paths.nr, nr))
		fprintf(stderr, "... of %s\n", text);
	if (path && CHECK(paths.nr))
		CHECK_STREQ(paths.all[0], path);
}

static void test_find(const struct cgroup_tree *tree)
{
	expect(tree, "db", 1, "/docker/" HEX);
	expect(tree, "3f1c5", 1, "/docker/" HEX);
	/* Two of them, but one is inside of the other. */
	expect(tree, "3f1c", -ENOTUNIQ, NULL);
	/* One container in several cgroups, one of them inside of another container. */
	expect(tree, HEX2, 4, NULL);
	expect(tree, "nerd", 4, NULL);
	/* What is not inside of a container goes first. */
	expect(tree, "cron.service", 1, "/system.slice/cron.service");
	expect(tree, "app.service", -ENOTUNIQ, NULL);
	expect(tree, "user@1.service", 1, "/user.slice/user-1.slice/user@1.service");
	/* One name of two runtimes. */
	expect(tree, "web", -ENOTUNIQ, NULL);
	expect(tree, "lxc.payload.web", 1, "/lxc.payload.web");
	expect(tree, UID, 1, "/kubepods/pod" UID);
	expect(tree, "gone", -ENOENT, NULL);
	expect(tree, "nothing", -ENOENT, NULL);
	expect(tree, "", -EINVAL, NULL);
}

static void test_wait(const struct cgroup_tree *tree)
{
	_cleanup_container_paths_ struct container_paths paths = {0};

	CHECK_EQ(container__find(tree, "gone", CONTAINER_ONE_OR_NONE, &paths), 0);
	CHECK_EQ(paths.nr, 0);
	CHECK_EQ(container__find(tree, "web", CONTAINER_ONE_OR_NONE, &paths), -ENOTUNIQ);
	CHECK_EQ(container__find(tree, "db", CONTAINER_ONE_OR_NONE, &paths), 0);
	CHECK_EQ(paths.nr, 1);
}

static void test_all(const struct cgroup_tree *tree)
{
	_cleanup_container_paths_ struct container_paths none = {0}, paths = {0};

	CHECK_EQ(container__find(tree, "gone", CONTAINER_ALL, &none), 0);
	CHECK_EQ(none.nr, 0);
	CHECK_EQ(container__find(tree, "web", CONTAINER_ALL, &paths), 0);
	CHECK(paths.nr > 1);
}

static void count(void *ctx, const struct container_info *info)
{
	unsigned int *nr = ctx;

	++*nr;
	CHECK(info->runtime && info->id && info->path);
}

static void test_list(const struct cgroup_tree *tree)
{
	unsigned int nr = 0;

	CHECK_EQ(container__list(tree, count, &nr), 0);
	CHECK_EQ(nr, 8);
}

struct garbage {
	const char *file;
	const char *text;
	size_t records;
};

/* Files that are not what they should be: what can be read of them is read. */
static void test_garbage(void)
{
	static const struct garbage garbage[] = {
		{"/var/lib/docker/containers/x/config.v2.json", "", 0},
		{"/var/lib/docker/containers/x/config.v2.json", "{\"ID\":\"\"}", 0},
		{"/var/lib/docker/containers/x/config.v2.json", "{\"ID\":\"a\",\"Name\":[1]}", 1},
		{"/var/lib/docker/containers/x/config.v2.json", "{\"ID\":{},\"Name\":\"x\"}", 0},
		{"/var/lib/docker/containers/x/config.v2.json", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
		 0},
		{STORAGE "containers.json", "{}", 0},
		{STORAGE "containers.json",
		 "[null,{\"id\":\"a\"},{\"names\":[\"x\"]},{\"id\":\"b\",\"names\":[null,2]}]", 2},
		{TASK "ns/id/config.json", "{\"annotations\":7,\"linux\":\"x\"}", 1},
		{"/run/containers/storage/overlay-containers/x/userdata/config.json", "{\"annotations\":[]}",
		 0},
		{"/run/runc/x/state.json", "{\"id\":\"x\",\"cgroup_paths\":{\"\":\"/elsewhere\"}}", 1},
		{"/run/runc/x/state.json", "null", 0},
		{"/var/lib/nerdctl/1/names/ns/x", "\n", 0},
		{"/var/lib/nerdctl/1/names/ns/x", "id\n", 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(garbage); i++) {
		_cleanup_container_states_ struct container_states states = {0};
		_cleanup_cgroup_tree_ struct cgroup_tree *tree = NULL;
		struct root_dir root;

		if (!CHECK(root_dir__make(&root)))
			return;
		CHECK(root_dir__put(&root, "/proc/self/mountinfo",
				    "30 28 0:25 / /c rw - cgroup2 cgroup2 rw\n"));
		CHECK(root_dir__put(&root, garbage[i].file, garbage[i].text));
		CHECK_EQ(cgroup_tree__open(root.path, &tree), 0);
		CHECK_EQ(container_states__read(tree, &states), 0);
		if (!CHECK_EQ(states.nr, garbage[i].records))
			fprintf(stderr, "... of %s\n", garbage[i].text);
		root_dir__remove(&root);
	}
}

/* A user's list of @nr names, all of the id @id_len times 'a'; it becomes a user's own if root runs this. */
static size_t count_records(const struct root_dir *root, size_t id_len, size_t nr)
{
	static const char home[] = "/home/x", file[] = "/home/x/.local/share/containers/storage/"
						       "overlay-containers/containers.json";
	_cleanup_container_states_ struct container_states states = {0};
	_cleanup_cgroup_tree_ struct cgroup_tree *tree = NULL;
	_cleanup_buf_ struct buf b = {0};
	char path[PATH_MAX];

	buf__add(&b, "[{\"id\":\"", 8);
	for (size_t i = 0; i < id_len; i++)
		buf__add(&b, "a", 1);
	buf__add(&b, "\",\"names\":[\"n\"", 14);
	for (size_t i = 1; i < nr; i++)
		buf__add(&b, ",\"n\"", 4);
	buf__add(&b, "]}]", 3);
	CHECK(root_dir__put_bytes(root, file, b.data, b.len));
	snprintf(path, sizeof(path), "%s%s", root->path, home);
	CHECK(getuid() || !chown(path, 1000, 1000));
	CHECK_EQ(cgroup_tree__open(root->path, &tree), 0);
	CHECK_EQ(container_states__read(tree, &states), 0);
	return states.nr;
}

/* The files of users must not make root's process large: 16 MiB of them would be terabytes of copies of one id. */
static void test_large_lists(void)
{
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return;
	CHECK(root_dir__put(&root, "/proc/self/mountinfo", "30 28 0:25 / /c rw - cgroup2 cgroup2 rw\n"));
	CHECK_EQ(count_records(&root, NAME_MAX, 3), 3);
	CHECK_EQ(count_records(&root, NAME_MAX + 1, 3), 0);
	CHECK_EQ(count_records(&root, 64, 20000), CONTAINER_STATES_OF_USER);
	root_dir__remove(&root);
}

/* A daemon that gives one answer. */
static pid_t serve(const struct root_dir *root, const char *answer)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), client;
	char request[256];
	pid_t pid;

	CHECK(root_dir__put(root, "/run/empty", ""));
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/run/docker.sock", root->path);
	CHECK_EQ(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	CHECK_EQ(listen(fd, 1), 0);
	pid = fork();
	if (pid) {
		close(fd);
		return pid;
	}
	client = accept(fd, NULL, NULL);
	if (read(client, request, sizeof(request)) < 20 || memcmp(request, "GET /containers/json", 20) ||
	    write(client, answer, strlen(answer)) < 0)
		_exit(1);
	_exit(0);
}

static void test_socket(const char *answer, const char *name)
{
	_cleanup_container_states_ struct container_states states = {0};
	_cleanup_cgroup_tree_ struct cgroup_tree *tree = NULL;
	struct root_dir root;
	int status = 0;
	pid_t pid;

	if (!CHECK(root_dir__make(&root)))
		return;
	CHECK(root_dir__put(&root, "/proc/self/mountinfo", "30 28 0:25 / /c rw - cgroup2 cgroup2 rw\n"));
	pid = serve(&root, answer);
	CHECK_EQ(cgroup_tree__open(root.path, &tree), 0);
	CHECK_EQ(container_states__read(tree, &states), 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(states.nr, name ? 1 : 0);
	if (name && states.nr) {
		CHECK_STREQ(states.all[0].name, name);
		CHECK_STREQ(states.all[0].id, HEX);
	}
	root_dir__remove(&root);
}

static void test_sockets(void)
{
	test_socket("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"
		    "[{\"Id\":\"" HEX "\",\"Names\":[\"/web\"]},{\"Id\":7},{\"Names\":[]}]",
		    "web");
	test_socket("HTTP/1.0 403 Forbidden\r\n\r\n[]", NULL);
	test_socket("HTTP/1.0 200 OK\r\n\r\n{\"message\":\"no\"}", NULL);
	test_socket("SSH-2.0-OpenSSH\r\n", NULL);
	test_socket("", NULL);
}

int main(void)
{
	struct cgroup_tree *tree = NULL;
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	make_root(&root);
	if (CHECK_EQ(cgroup_tree__open(root.path, &tree), 0)) {
		test_find(tree);
		test_wait(tree);
		test_all(tree);
		test_list(tree);
	}
	cgroup_tree__free(tree);
	test_garbage();
	test_large_lists();
	test_sockets();
	root_dir__remove(&root);
	return check__done();
}
