// SPDX-License-Identifier: GPL-2.0-only
/* Programs that are opened when a map of them is seen, below a root directory that the test makes. */
#include <errno.h>
#include <fcntl.h>

#include "files/build_ids.h"
#include "files/foreign_file.h"
#include "program_root.h"

static void see_and_settle(struct held_files *held, uint32_t pid, const char *name, uint32_t nr)
{
	see(held, pid, name, nr);
	held_files__settle(held);
}

static bool has(struct held_files *held, uint32_t nr)
{
	const struct build_id id = id_of(nr);
	_cleanup_close_ int found = held_files__get(held, &id);
	_cleanup_close_ int fd = found < 0 ? found : foreign_file__reopen(found);

	if (fd < 0)
		CHECK_EQ(fd, -ENOENT);
	return fd >= 0 && build_id__is_of(&id, fd);
}

static void remove_file(const struct root_dir *root, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	CHECK_EQ(unlink(path), 0);
}

/* Process 10 has a root of its own and maps a file without a name, 11 is gone. */
static void make_root(const struct root_dir *root)
{
	put_program(root, "/usr/bin/app", 1);
	put_program(root, "/box/usr/bin/app", 2);
	put_program(root, "/nameless", 3);
	put_program(root, "/usr/bin/late", 5);
	put_program(root, "/secret", 7);
	CHECK(root_dir__put(root, "/proc/10/map_files/none", ""));
	link_to(root, "/proc/10/map_files/1000-3000", "../../../nameless");
	link_to(root, "/proc/10/root", "../../box");
	link_to(root, "/box/out", "../../../secret");
}

static void test_where(const struct root_dir *root, struct held_files *held)
{
	see_and_settle(held, 10, "/usr/bin/app", 2);
	see_and_settle(held, 10, "/usr/bin/app (deleted)", 3);
	see_and_settle(held, 11, "/usr/bin/app", 1);
	see_and_settle(held, 10, "/out", 7);
	see_and_settle(held, 10, "//anon", 8);
	CHECK(has(held, 1));
	CHECK(has(held, 2));
	CHECK(has(held, 3));
	CHECK(!has(held, 7));
	CHECK(!has(held, 8));
	remove_file(root, "/usr/bin/app");
	remove_file(root, "/box/usr/bin/app");
	CHECK(has(held, 1));
	CHECK(has(held, 2));
	/* Another file of that name, and one that was not where it was looked for first. */
	see_and_settle(held, 11, "/usr/bin/other", 5);
	CHECK(!has(held, 5));
	see_and_settle(held, 11, "/usr/bin/late", 5);
	CHECK(has(held, 5));
}

/* Those that were not seen for the longest time go. */
static void test_bound(struct held_files *held)
{
	int next;

	for (uint32_t i = 0; i < HELD_FILES_MAX - 10; i++)
		see(held, 11, "/gone", 1000 + i);
	held_files__settle(held);
	see(held, 11, "/usr/bin/app", 1);
	CHECK(has(held, 1));
	CHECK(has(held, 2));
	for (uint32_t i = 0; i < HELD_FILES_MAX - 10; i++)
		see(held, 11, "/gone", 100000 + i);
	held_files__settle(held);
	CHECK(has(held, 1));
	CHECK(!has(held, 2));
	CHECK(!has(held, 3));
	/* Nothing leaks. */
	see_and_settle(held, 11, "/usr/bin/late", 5);
	CHECK(has(held, 5));
	next = open("/dev/null", O_RDONLY);
	CHECK(next >= 0 && next < 16);
	close(next);
}

int main(void)
{
	struct held_files *held;
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	make_root(&root);
	if (CHECK_EQ(held_files__new(root.path, &held), 0)) {
		test_where(&root, held);
		test_bound(held);
		held_files__free(held);
	}
	held_files__free(NULL);
	root_dir__remove(&root);
	return check__done();
}
