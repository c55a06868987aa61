// SPDX-License-Identifier: GPL-2.0-only
/* Programs in the roots of processes, below a root directory that the test makes. */
#include <errno.h>
#include <sys/stat.h>

#include "build_id_elf.h"
#include "check.h"
#include "kernel/build_ids.h"
#include "kernel/container_files.h"
#include "kernel/container_roots.h"
#include "root_dir.h"

static struct build_id id_of(uint8_t first)
{
	return (struct build_id){.size = 20, .data = {first}};
}

static void put_program(const struct root_dir *root, const char *name, uint8_t first)
{
	struct buf elf = elf_file(first);

	CHECK(root_dir__put_bytes(root, name, elf.data, elf.len));
	buf__release(&elf);
}

static void link_to(const struct root_dir *root, const char *name, const char *target)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	CHECK_EQ(symlink(target, path), 0);
}

/* Process 1 has our own root, 10 and 11 share one, 20 has another one. */
static void make_root(const struct root_dir *root)
{
	CHECK(root_dir__put(root, "/proc/self/mountinfo", "30 28 0:25 / /cg rw - cgroup2 cgroup2 rw\n"));
	CHECK(root_dir__put(root, "/cg/pod/cgroup.procs", ""));
	CHECK(root_dir__put(root, "/cg/pod/a/cgroup.procs", "10\n11\n"));
	CHECK(root_dir__put(root, "/cg/pod/b/cgroup.procs", "20\n"));
	CHECK(root_dir__put(root, "/cg/pod/c/cgroup.procs", "999\n"));
	put_program(root, "/usr/bin/common", 1);
	put_program(root, "/usr/bin/secret", 7);
	put_program(root, "/roots/a/usr/bin/common", 1);
	put_program(root, "/roots/a/usr/bin/app", 2);
	put_program(root, "/roots/b/usr/bin/app", 3);
	CHECK(root_dir__put(root, "/proc/1/comm", ""));
	CHECK(root_dir__put(root, "/proc/10/comm", ""));
	CHECK(root_dir__put(root, "/proc/11/comm", ""));
	CHECK(root_dir__put(root, "/proc/20/comm", ""));
	link_to(root, "/proc/1/root", "../..");
	link_to(root, "/proc/10/root", "../../roots/a");
	link_to(root, "/proc/11/root", "../../roots/a");
	link_to(root, "/proc/20/root", "../../roots/b");
	link_to(root, "/roots/b/usr/bin/link", "/usr/bin/app");
	link_to(root, "/roots/b/usr/bin/out", "../../../../usr/bin/secret");
}

enum where { NOWHERE, OURS, THEIRS };

static void expect(const struct container_roots *roots, const char *name, uint8_t first, enum where where)
{
	const struct build_id id = id_of(first);
	bool own = false;
	_cleanup_close_ int fd = container_roots__open(roots, name, &id, &own);
	struct build_id read;

	CHECK_EQ(fd < 0 ? NOWHERE : own ? OURS : THEIRS, where);
	if (fd < 0)
		CHECK_EQ(fd, -ENOENT);
	else if (CHECK_EQ(build_id__read_elf(fd, &read), 0))
		CHECK_EQ(read.data[0], first);
}

static void test_open(const struct container_roots *roots)
{
	expect(roots, "/usr/bin/app", 2, THEIRS);
	expect(roots, "/usr/bin/app", 3, THEIRS);
	expect(roots, "/usr/bin/link", 3, THEIRS);
	expect(roots, "/usr/bin/app", 4, NOWHERE);
	expect(roots, "/usr/bin/none", 2, NOWHERE);
	expect(roots, "/usr/bin", 2, NOWHERE);
	expect(roots, "//anon", 2, NOWHERE);
	expect(roots, "/usr/bin/common", 1, OURS);
	/* No link leads out. */
	expect(roots, "/usr/bin/out", 7, NOWHERE);
}

static void note(struct build_id_set *ids, const char *name, uint8_t first)
{
	const struct build_id id = id_of(first);

	CHECK_EQ(build_id_set__add(ids, name, 0, &id), 0);
}

/* One name in two containers is two files; of what is in our root too there is no copy unless its name is
 * wrong. */
static void test_files(const struct root_dir *root, const struct container_roots *roots)
{
	_cleanup_(cleanup__build_id_set) struct build_id_set *ids = NULL;
	_cleanup_container_files_ struct container_files files = {0};
	struct stage_target target;
	struct build_id id;
	char path[128];

	snprintf(path, sizeof(path), "%s/cap.data", root->path);
	if (!CHECK_EQ(build_id_set__new(&ids), 0) || !CHECK_EQ(stage__target(path, &target), 0))
		return;
	note(ids, "/usr/bin/app", 2);
	note(ids, "/usr/bin/app", 3);
	note(ids, "/usr/bin/link", 3);
	note(ids, "/usr/bin/common", 1);
	note(ids, "/usr/bin/none", 2);
	note(ids, "[vdso]", 2);
	note(ids, "/usr/bin/secret", 7);
	note(ids, "/memfd:runtime (deleted)", 7);
	note(ids, "/gone", 8);
	CHECK_EQ(container_files__copy(roots, ids, &target, &files), 0);
	CHECK_EQ(files.nr, 3);
	for (unsigned int i = 0; i < files.nr; i++) {
		id = id_of(0);
		CHECK_EQ(build_id__read_elf(files.all[i].fd, &id), 0);
		CHECK_EQ(files.all[i].name[17], '0' + id.data[0]);
		CHECK_EQ(strlen(files.all[i].name), strlen("debug/.build-id/02/") + 38 + strlen("/elf"));
	}
	stage__target_release(&target);
}

static void test_all(const struct root_dir *root, const struct cgroup_tree *tree)
{
	_cleanup_container_roots_ struct container_roots *roots = NULL;

	if (!CHECK_EQ(container_roots__new(root->path, &roots), 0))
		return;
	CHECK_EQ(container_roots__nr(roots), 0);
	container_roots__add_pid(roots, 1);
	container_roots__add_pid(roots, 999);
	CHECK_EQ(container_roots__nr(roots), 0);
	container_roots__add_pid(roots, 10);
	container_roots__add_pid(roots, 11);
	CHECK_EQ(container_roots__nr(roots), 1);
	container_roots__add_cgroup(roots, tree, "/pod");
	container_roots__add_cgroup(roots, tree, "/nothing");
	CHECK_EQ(container_roots__nr(roots), 2);
	test_open(roots);
	test_files(root, roots);
}

int main(void)
{
	_cleanup_cgroup_tree_ struct cgroup_tree *tree = NULL;
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	make_root(&root);
	if (CHECK_EQ(cgroup_tree__open(root.path, &tree), 0))
		test_all(&root, tree);
	container_roots__free(NULL);
	root_dir__remove(&root);
	return check__done();
}
