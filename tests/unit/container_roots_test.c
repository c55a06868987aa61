// SPDX-License-Identifier: GPL-2.0-only
/* Programs in the roots of processes, below a root directory that the test makes. */
#include <errno.h>
#include <sys/stat.h>

#include "capture/programs/program_files.h"
#include "containers/container_roots.h"
#include "files/build_ids.h"
#include "files/foreign_file.h"
#include "program_root.h"

/* Process 1 has our own root, 10 and 11 share one, 20 has another one. */
static struct file_helper helper;

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

static uint64_t elf_size(void)
{
	struct buf elf = elf_file(1);
	size_t len = elf.len;

	buf__release(&elf);
	return len;
}

enum where { NOWHERE, OURS, THEIRS };

static void expect(struct container_roots *roots, const char *name, uint8_t first, enum where where)
{
	const struct build_id id = id_of(first);
	bool own = false;
	_cleanup_close_ int found = container_roots__open(roots, &helper, name, &id, &own);
	_cleanup_close_ int fd = found < 0 ? found : foreign_file__reopen(found);
	struct build_id read;

	CHECK_EQ(fd < 0 ? NOWHERE : own ? OURS : THEIRS, where);
	if (fd < 0)
		CHECK_EQ(fd, -ENOENT);
	else if (CHECK_EQ(build_id__read_elf(fd, &read), 0))
		CHECK_EQ(read.data[0], first);
}

static void test_open(struct container_roots *roots)
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

	CHECK_EQ(build_id_set__use(ids, name, &id), 0);
}

/* Programs of ours and of containers, one under two names, one that a runtime executes from memory. */
static void note_all(struct build_id_set *ids)
{
	note(ids, "/usr/bin/app", 2);
	note(ids, "/usr/bin/app", 3);
	note(ids, "/usr/bin/link", 3);
	note(ids, "/usr/bin/common", 1);
	note(ids, "/usr/bin/none", 2);
	note(ids, "//anon", 2);
	note(ids, "/usr/bin/secret", 7);
	note(ids, "/memfd:runtime (deleted)", 7);
	note(ids, "/gone", 8);
}

static void check_file(const struct program_file *file)
{
	struct build_id id = id_of(0);

	CHECK_EQ(build_id__read_elf(file->fd, &id), 0);
	CHECK_EQ(file->name[17], '0' + id.data[0]);
	CHECK_EQ(strlen(file->name), strlen("debug/.build-id/02/") + 38 + strlen("/elf"));
}

/* One name in two containers is two files; of what is in our root too there is no copy unless its name is
 * wrong. */
static void test_files(const struct program_files_opts *opts)
{
	_cleanup_(cleanup__build_id_set) struct build_id_set *ids = NULL, *few = NULL;
	_cleanup_program_files_ struct program_files files = {0};

	if (!CHECK_EQ(build_id_set__new(&ids), 0) || !CHECK_EQ(build_id_set__new(&few), 0))
		return;
	note_all(ids);
	CHECK_EQ(program_files__copy(&files, opts, ids), 0);
	CHECK_EQ(program_files__nr(&files), 3);
	CHECK_EQ(files.missing, 0);
	for (unsigned int i = 0; i < files.nr; i++)
		check_file(&files.all[i]);
	/* The next capture has what it uses, and nothing is copied that no capture has got. */
	note(few, "/usr/bin/app", 2);
	CHECK_EQ(program_files__copy(&files, opts, few), 0);
	CHECK_EQ(program_files__nr(&files), 1);
	CHECK_EQ(files.nr, 1);
}

/* What was mapped, deleted meanwhile or not, of whoever's root. */
static void test_archive(const struct root_dir *root, struct program_files_opts *opts)
{
	_cleanup_(cleanup__held_files) struct held_files *held = NULL;
	_cleanup_(cleanup__build_id_set) struct build_id_set *ids = NULL;
	_cleanup_program_files_ struct program_files files = {0};
	char path[128];

	if (!CHECK_EQ(build_id_set__new(&ids), 0) || !CHECK_EQ(held_files__new(root->path, &held), 0))
		return;
	put_program(root, "/usr/bin/brief", 5);
	snprintf(path, sizeof(path), "%s/usr/bin/brief", root->path);
	see(held, 1, "/usr/bin/brief", 5);
	held_files__settle(held);
	CHECK_EQ(unlink(path), 0);
	note_all(ids);
	note(ids, "/usr/bin/brief", 5);
	opts->held = held;
	CHECK_EQ(program_files__copy(&files, opts, ids), 0);
	CHECK_EQ(program_files__nr(&files), 5);
	CHECK_EQ(files.missing, 1);
	CHECK_EQ(files.bytes, 5 * elf_size());
	for (unsigned int i = 0; i < files.nr; i++)
		check_file(&files.all[i]);
}

static void test_copies(const struct root_dir *root, struct container_roots *roots)
{
	struct stage_target target;
	struct program_files_opts opts = {
		.roots = roots, .helper = &helper, .target = &target, .cache = -1, .data_fd = -1};
	char path[128];

	snprintf(path, sizeof(path), "%s/cap.data", root->path);
	if (!CHECK_EQ(stage__target(path, &target), 0))
		return;
	test_files(&opts);
	test_archive(root, &opts);
	stage__target_release(&target);
}

/* Of hundreds the last ones are there, and our own. */
static void test_many(const struct root_dir *root)
{
	_cleanup_container_roots_ struct container_roots *roots = NULL;
	char path[64], to[64];

	if (!CHECK_EQ(container_roots__new(root->path, &roots), 0))
		return;
	container_roots__add_pid(roots, 10);
	container_roots__add_pid(roots, 20);
	for (int pid = 1000; pid < 1127; pid++) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		CHECK(root_dir__put(root, path, ""));
		snprintf(path, sizeof(path), "/roots/%d/comm", pid);
		CHECK(root_dir__put(root, path, ""));
		snprintf(path, sizeof(path), "/proc/%d/root", pid);
		snprintf(to, sizeof(to), "../../roots/%d", pid);
		link_to(root, path, to);
		container_roots__add_pid(roots, pid);
	}
	CHECK_EQ(container_roots__nr(roots), 128);
	expect(roots, "/usr/bin/app", 2, NOWHERE);
	expect(roots, "/usr/bin/app", 3, THEIRS);
	expect(roots, "/usr/bin/common", 1, OURS);
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
	test_copies(root, roots);
}

int main(void)
{
	_cleanup_cgroup_tree_ struct cgroup_tree *tree = NULL;
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	file_helper__init(&helper, 600000);
	make_root(&root);
	if (CHECK_EQ(cgroup_tree__open(root.path, &tree), 0))
		test_all(&root, tree);
	test_many(&root);
	container_roots__free(NULL);
	file_helper__release(&helper);
	root_dir__remove(&root);
	return check__done();
}
