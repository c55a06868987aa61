// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that are opened and copied by another process, and what becomes of a call whose helper stands still: here the
 * test stops it, as a file system that does not answer would.
 */
#include "files/file_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "build_id_elf.h"
#include "check.h"
#include "files/build_ids.h"
#include "files/foreign_file.h"
#include "root_dir.h"

/* Where the helper is stopped, so that no load of the machine counts as that. */
#define SHORT 50
#define LONG 600000

static const struct record_mmap at_1000 = {
	.start = 0x1000, .len = 0x1000, .maj = 8, .min = 1, .name = "/lib/one"};
static const struct record_mmap at_2000 = {
	.start = 0x2000, .len = 0x1000, .maj = 8, .min = 2, .name = "/lib/two"};

/* The helper is ours to wait for here, as the process between it and us has ended. */
static pid_t helper_pid(void)
{
	pid_t pid = 0;
	FILE *f = fopen("/proc/thread-self/children", "r");

	if (CHECK(f) && CHECK_EQ(fscanf(f, "%d", &pid), 1))
		CHECK_EQ(fgetc(f), ' ');
	if (f)
		fclose(f);
	return pid;
}

static void stop_helper(void)
{
	pid_t pid = helper_pid();

	CHECK_EQ(kill(pid, SIGSTOP), 0);
	CHECK_EQ(waitpid(pid, NULL, WUNTRACED), pid);
}

/* It ends by itself when nobody asks any more. */
static void await_helper(void)
{
	pid_t pid = helper_pid();
	int status = -1;

	kill(pid, SIGCONT);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
}

static int open_mapped(struct file_helper *helper, const struct root_dir *root, const struct record_mmap *map,
		       struct build_id *id)
{
	_cleanup_close_ int fd = file_helper__open_mapped(helper, root->path, 7, map, id);

	return fd < 0 ? fd : 0;
}

static void test_open(const struct root_dir *root)
{
	const struct build_id none = {.size = 20, .data = {0xbb}};
	_cleanup_close_ int dir = open(root->path, O_PATH | O_DIRECTORY);
	struct file_helper helper;
	struct build_id id;
	struct stat st, same;
	char path[PATH_MAX];
	int fd;

	file_helper__init(&helper, LONG);
	CHECK_EQ(open_mapped(&helper, root, &at_1000, &id), 0);
	CHECK(id.size == 20 && id.data[0] == 0xaa);
	fd = file_helper__open_in(&helper, dir, "/lib/one", &id);
	snprintf(path, sizeof(path), "%s/lib/one", root->path);
	CHECK(fd >= 0 && !fstat(fd, &st) && !stat(path, &same) && st.st_ino == same.st_ino);
	close(fd);
	CHECK_EQ(file_helper__open_in(&helper, dir, "/lib/one", &none), -ENOENT);
	CHECK_EQ(file_helper__open_in(&helper, dir, "/lib", &id), FOREIGN_FILE_NOT_REGULAR);
	CHECK_EQ(open_mapped(&helper, root, &at_2000, &id), 0);
	CHECK_EQ(id.size, 0);
	file_helper__release(&helper);
	await_helper();
}

static int make_file(const struct root_dir *root, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root->path, name);
	return open(path, O_RDWR | O_CREAT, 0600);
}

/* Data of more than one step behind a hole, which no step goes through. */
#define HOLE (1ll << 35)
#define DATA (5ll << 20)

static void fill(int fd)
{
	uint64_t block[512];

	CHECK_EQ(ftruncate(fd, 2 * HOLE), 0);
	for (off_t at = 0; at < DATA; at += (off_t)sizeof(block)) {
		for (size_t i = 0; i < ARRAY_SIZE(block); i++)
			block[i] = (uint64_t)at + i + 1;
		CHECK_EQ(pwrite(fd, block, sizeof(block), HOLE + at), (ssize_t)sizeof(block));
	}
}

static bool is_copy(int fd)
{
	uint64_t block[512];
	struct stat st;
	bool same = !fstat(fd, &st) && st.st_size == 2 * HOLE && st.st_blocks < 1 << 17;

	for (off_t at = 0; at < DATA; at += (off_t)sizeof(block)) {
		same &= pread(fd, block, sizeof(block), HOLE + at) == (ssize_t)sizeof(block);
		same &= block[0] == (uint64_t)at + 1 && block[511] == (uint64_t)at + 512;
	}
	return same;
}

/* Holes stay holes, and what grows while it is copied is cut off. */
static void test_copy(const struct root_dir *root)
{
	const int file = make_file(root, "large"), to = make_file(root, "copy"),
		  small = make_file(root, "small");
	struct file_helper helper;
	uint64_t bytes = 1, counted = 0;
	struct stat st;
	char path[PATH_MAX];
	int from;

	file_helper__init(&helper, LONG);
	fill(file);
	snprintf(path, sizeof(path), "%s/large", root->path);
	from = open(path, O_PATH);
	CHECK_EQ(file_helper__data_bytes(&helper, from, &counted), 0);
	CHECK(counted >= DATA && counted < 2 * DATA);
	CHECK_EQ(file_helper__copy(&helper, from, to, counted, &bytes), 0);
	CHECK_EQ(bytes, counted + 1);
	CHECK(is_copy(to));
	CHECK_EQ(pwrite(file, "more", 4, 0), 4);
	CHECK_EQ(file_helper__copy(&helper, from, small, counted, &bytes), -EFBIG);
	CHECK_EQ(bytes, 2 * counted + 1);
	CHECK_EQ(fstat(small, &st), 0);
	CHECK((uint64_t)st.st_blocks * 512 < counted + (1 << 16));
	close(file);
	close(from);
	close(to);
	close(small);
	file_helper__release(&helper);
	await_helper();
}

/* To count and to copy asks the file's system as well. */
static void test_copy_hangs(const struct root_dir *root)
{
	const int from = make_file(root, "from"), to = make_file(root, "to");
	struct file_helper helper;
	uint64_t bytes = 0;

	for (int copies = 0; copies < 2; copies++) {
		file_helper__init(&helper, LONG);
		CHECK_EQ(file_helper__data_bytes(&helper, from, &bytes), 0);
		stop_helper();
		helper.timeout = SHORT;
		CHECK_EQ(copies ? file_helper__copy(&helper, from, to, 1, &bytes)
				: file_helper__data_bytes(&helper, from, &bytes),
			 -ETIMEDOUT);
		await_helper();
		file_helper__release(&helper);
	}
	close(from);
	close(to);
}

/* One call is given up, other files are there, and those of its device are not asked for again. */
static void test_hang(const struct root_dir *root)
{
	struct file_helper helper;
	struct build_id id;

	file_helper__init(&helper, LONG);
	CHECK_EQ(open_mapped(&helper, root, &at_1000, &id), 0);
	stop_helper();
	helper.timeout = SHORT;
	CHECK_EQ(open_mapped(&helper, root, &at_1000, &id), -ETIMEDOUT);
	CHECK_EQ(id.size, 0);
	await_helper();
	helper.timeout = LONG;
	CHECK_EQ(open_mapped(&helper, root, &at_2000, &id), 0);
	CHECK_EQ(open_mapped(&helper, root, &at_1000, &id), -ETIMEDOUT);
	/* Who ends meanwhile is no hang: the next call has another one. */
	kill(helper_pid(), SIGKILL);
	CHECK(waitpid(helper_pid(), NULL, 0) > 0);
	CHECK_EQ(open_mapped(&helper, root, &at_2000, &id), -EPIPE);
	CHECK_EQ(open_mapped(&helper, root, &at_2000, &id), 0);
	file_helper__release(&helper);
	await_helper();
}

static void test_many_hang(const struct root_dir *root)
{
	struct record_mmap map = at_1000;
	struct file_helper helper;
	struct build_id id;

	file_helper__init(&helper, LONG);
	for (map.min = 10; map.min < 10 + FILE_WATCH_LOST_MAX; map.min++) {
		helper.timeout = LONG;
		CHECK_EQ(open_mapped(&helper, root, &at_2000, &id), 0);
		stop_helper();
		helper.timeout = SHORT;
		CHECK_EQ(open_mapped(&helper, root, &map, &id), -ETIMEDOUT);
		await_helper();
	}
	helper.timeout = LONG;
	CHECK_EQ(open_mapped(&helper, root, &at_2000, &id), -ETIMEDOUT);
	file_helper__release(&helper);
}

static const char *const said[] = {"one", "two"};

/* In the helper: nothing of ours is open there, and a device that was lost is not visited. */
static int bring(void *ctx, struct file_errand *found)
{
	const struct root_dir *root = ctx;
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/lib/one", root->path);
	fd = foreign_file__open_here(path);
	if (fd == -ETIMEDOUT) {
		buf__add(&found->bytes, "lost", 5);
		return 0;
	}
	file_errand__add_fd(found, fd);
	for (size_t i = 0; i < 100000; i++)
		buf__add(&found->bytes, said[i % 2], 4);
	file_errand__note(found, "%d descriptor", 1);
	return root_dir__put(root, "/done", "") ? 7 : -EIO;
}

static int hang_there(void *ctx, struct file_errand *found)
{
	int err = bring(ctx, found);

	if (err == 7)
		poll(NULL, 0, -1);
	return err;
}

static int work(void *ctx, struct file_errand *found)
{
	while (clock__ns(CLOCK_PROCESS_CPUTIME_ID) < 1500000000)
		;
	return 0;
}

static int fail(void *ctx, struct file_errand *found)
{
	return -EXDEV;
}

static void await_all(void)
{
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void test_errand(struct root_dir *root)
{
	_cleanup_file_errand_ struct file_errand found = {0}, again = {0}, none = {0};
	struct file_helper helper;
	struct stat st, same;
	char path[PATH_MAX];

	file_helper__init(&helper, LONG);
	CHECK_EQ(file_helper__run(&helper, bring, root, &found), 7);
	CHECK_EQ(found.bytes.len, 400000);
	CHECK(!memcmp(found.bytes.data + 399992, "one\0two", 8));
	CHECK_STREQ((const char *)found.notes.data, "1 descriptor");
	snprintf(path, sizeof(path), "%s/lib/one", root->path);
	if (CHECK_EQ(found.fds.len, sizeof(int)))
		CHECK(!fstat(*(int *)(void *)found.fds.data, &st) && !stat(path, &same) &&
		      st.st_ino == same.st_ino);
	CHECK_EQ(file_helper__run(&helper, fail, root, &none), -EXDEV);
	/* The device on which it hangs is left out then. */
	await_all();
	helper.timeout = 2000;
	CHECK_EQ(file_helper__run(&helper, hang_there, root, &again), 0);
	CHECK_STREQ((const char *)again.bytes.data, "lost");
	CHECK_EQ(again.fds.len, 0);
	CHECK(helper.waited > 0);
	kill(helper_pid(), SIGKILL);
	await_all();
	file_helper__release(&helper);
}

/* Nobody else is to blame for the time that it takes to work on what was read. */
static void test_work(void)
{
	_cleanup_file_errand_ struct file_errand found = {0};
	struct file_helper helper;

	/* Long enough for some CPU time on a busy machine, and shorter than the work. */
	file_helper__init(&helper, 1000);
	CHECK_EQ(file_helper__run(&helper, work, NULL, &found), 0);
	CHECK_EQ(file_watch__nr_lost(helper.watch), 0);
	file_helper__release(&helper);
}

/* Started by another process, they do the same, and errands are still copies of this one. */
static void test_prepare(struct root_dir *root)
{
	_cleanup_file_errand_ struct file_errand found = {0};
	struct file_helper helper;
	struct build_id id;

	CHECK_EQ(file_helper__prepare(), 0);
	file_helper__init(&helper, LONG);
	CHECK_EQ(open_mapped(&helper, root, &at_1000, &id), 0);
	CHECK(id.size == 20 && id.data[0] == 0xaa);
	CHECK_EQ(file_helper__run(&helper, bring, root, &found), 7);
	CHECK_EQ(open_mapped(&helper, root, &at_2000, &id), 0);
	file_helper__release(&helper);
}

int main(void)
{
	struct buf elf = elf_file(0xaa);
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)) || !CHECK_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0))
		return check__done();
	CHECK(root_dir__put_bytes(&root, "/lib/one", elf.data, elf.len));
	CHECK(root_dir__put_bytes(&root, "/proc/7/map_files/1000-2000", elf.data, elf.len));
	CHECK(root_dir__put(&root, "/proc/7/map_files/2000-3000", "no ELF file"));
	test_open(&root);
	test_copy(&root);
	test_copy_hangs(&root);
	test_hang(&root);
	test_many_hang(&root);
	test_errand(&root);
	test_work();
	test_prepare(&root);
	buf__release(&elf);
	root_dir__remove(&root);
	return check__done();
}
