// SPDX-License-Identifier: GPL-2.0-only
/* Names that finished captures get, and what happens to those that had them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "check.h"
#include "files/debug_dir.h"
#include "files/stage.h"
#include "root_dir.h"

#define PROGRAM "debug/.build-id/12/ab09/elf"

static bool holds(const struct root_dir *root, const char *name, const char *text)
{
	char path[PATH_MAX], got[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	f = fopen(path, "r");
	if (f) {
		got[fread(got, 1, sizeof(got) - 1, f)] = '\0';
		fclose(f);
	}
	return f && !strcmp(got, text);
}

static unsigned int mode(const struct root_dir *root, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	return lstat(path, &st) ? 0 : st.st_mode & 07777;
}

static int count_names(const struct root_dir *root)
{
	DIR *dir = opendir(root->path);
	int nr = -2; /* . and .. */

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

static bool make_target(const struct root_dir *root, const char *name, struct stage_target *target)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	return CHECK_EQ(stage__target(path, target), 0);
}

/* A file that had to be copied to get its name is linked from then on, and has all of its text each time. */
static void test_second_name(const struct root_dir *root)
{
	static const char *const names[] = {"/first", "/second"};
	_cleanup_close_ int fd = memfd_create("test", MFD_CLOEXEC);
	struct stat st[ARRAY_SIZE(names)];

	CHECK_EQ(stage__write_at(fd, 0, (struct span){"shared", 6}), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct stage_file file = {fd, "part", 0400};
		struct stage_target target;
		char path[PATH_MAX];

		CHECK(make_target(root, names[i], &target));
		CHECK_EQ(stage__publish_dir(&target, &file, 1), 0);
		stage__target_release(&target);
		snprintf(path, sizeof(path), "%s%s/part", root->path, names[i]);
		CHECK_EQ(stat(path, &st[i]), 0);
		CHECK_EQ(st[i].st_size, 6);
	}
	CHECK_EQ(st[0].st_ino, st[1].st_ino);
}

/* Holes take nothing in a copy, and are not read; what is more than was counted on is not copied. */
static void test_holes(const struct root_dir *root)
{
	struct stage_target target;
	uint64_t bytes = 0, counted = 1;
	char got[4] = "";
	struct stat st;
	int from, to;

	if (!make_target(root, "/holes", &target))
		return;
	from = stage__open(&target);
	to = stage__open(&target);
	CHECK_EQ(ftruncate(from, 1ll << 36), 0);
	CHECK_EQ(stage__data_bytes(from, &counted), 0);
	CHECK_EQ(counted, 0);
	CHECK_EQ(stage__write_at(from, 1ll << 35, (struct span){"data", 4}), 0);
	CHECK_EQ(stage__data_bytes(from, &counted), 0);
	CHECK(counted >= 4);
	CHECK(counted <= 1 << 16);
	CHECK_EQ(stage__copy(from, to, 3, &bytes), -EFBIG);
	CHECK_EQ(bytes, 3);
	CHECK_EQ(stage__copy(from, to, counted, &bytes), 0);
	CHECK_EQ(bytes, 3 + counted);
	CHECK_EQ(fstat(to, &st), 0);
	CHECK_EQ(st.st_size, 1ll << 36);
	CHECK(st.st_blocks <= 1 << 7);
	CHECK_EQ(pread(to, got, 4, 1ll << 35), 4);
	CHECK(!memcmp(got, "data", 4));
	close(from);
	close(to);
	stage__target_release(&target);
}

static bool is_there(const struct root_dir *root, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	return !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* Left by one that was killed, it goes; what one that runs is making stays, and so does that of other names. */
static void test_left_over(const struct root_dir *root)
{
	struct stage_target target;
	char path[PATH_MAX];
	int fd;

	CHECK(root_dir__put(root, "/.cap.data.4711/data", "half"));
	CHECK(root_dir__put(root, "/.cap.data.4711/kcore_dir/kcore", "half"));
	CHECK(root_dir__put(root, "/.cap.data.4712/data", "half"));
	CHECK(root_dir__put(root, "/.cap.data.x/data", "half"));
	CHECK(root_dir__put(root, "/.other.data.4711/data", "half"));
	snprintf(path, sizeof(path), "%s/.cap.data.4712", root->path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
	if (make_target(root, "/cap.data", &target))
		stage__target_release(&target);
	CHECK(!is_there(root, "/.cap.data.4711"));
	CHECK(is_there(root, "/.cap.data.4712/data"));
	CHECK(is_there(root, "/.cap.data.x/data"));
	CHECK(is_there(root, "/.other.data.4711/data"));
	close(fd);
	if (make_target(root, "/cap.data", &target))
		stage__target_release(&target);
	CHECK(!is_there(root, "/.cap.data.4712"));
}

#define LARGE (1 << 20)

/* Dies in the middle of the copy. */
static int copy_half(int fd, int dirfd)
{
	const struct rlimit half = {.rlim_cur = LARGE / 2, .rlim_max = LARGE / 2};
	const struct rlimit no_core = {0};
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		signal(SIGXFSZ, SIG_DFL); /* who started the test may have ignored it */
		if (setrlimit(RLIMIT_CORE, &no_core) || setrlimit(RLIMIT_FSIZE, &half))
			_exit(1);
		_exit(stage__give_name(fd, dirfd, "whole", 0400, true) ? 2 : 3);
	}
	waitpid(pid, &status, 0);
	return status;
}

/* Where a file must be copied to have a name, it has all of its text by then. */
static void test_killed(const struct root_dir *root)
{
	int dirfd = open(root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct stat st;

	CHECK_EQ(stage__write_at(fd, 0, (struct span){"begin", 5}), 0);
	CHECK_EQ(fallocate(fd, 0, 0, LARGE), 0);
	CHECK_EQ(stage__write_at(fd, LARGE - 3, (struct span){"end", 3}), 0);
	CHECK(WIFSIGNALED(copy_half(fd, dirfd)));
	CHECK(!is_there(root, "/whole"));
	CHECK_EQ(stage__give_name(fd, dirfd, "whole", 0400, true), 0);
	CHECK_EQ(fstatat(dirfd, "whole", &st, 0), 0);
	CHECK_EQ(st.st_size, LARGE);
	CHECK(!is_there(root, "/.whole.new"));
	CHECK_EQ(stage__give_name(fd, dirfd, "whole", 0400, true), -EEXIST);
	close(fd);
	close(dirfd);
}

#define PARTS 5000

/* Whoever makes holes without end has no use of it: behind some thousand, what is left counts as data. */
static void test_many_holes(const struct root_dir *root)
{
	const off_t period = 1 << 17;
	struct stage_target target;
	uint64_t bytes = 0, counted = 0;
	struct stat st;
	int from, to;

	if (!make_target(root, "/many_holes", &target))
		return;
	from = stage__open(&target);
	to = stage__open(&target);
	for (int i = 0; i < PARTS; i++)
		CHECK_EQ(pwrite(from, "x", 1, i * period), 1);
	CHECK_EQ(ftruncate(from, 1ll << 36), 0);
	CHECK_EQ(stage__data_bytes(from, &counted), 0);
	CHECK(counted > 1ull << 35);
	CHECK_EQ(stage__copy(from, to, counted, &bytes), 0);
	CHECK(bytes < 1ull << 29);
	CHECK_EQ(fstat(to, &st), 0);
	CHECK(st.st_blocks < 1 << 20);
	for (int i = 0; i < PARTS; i++) {
		char got = 0;

		CHECK_EQ(pread(to, &got, 1, i * period), 1);
		CHECK_EQ(got, 'x');
	}
	close(from);
	close(to);
	stage__target_release(&target);
}

#define SWAPS 2000

/* Puts a symbolic link to a directory of somebody else's in the place of kcore_dir, and takes it away again. */
static void *swap(void *arg)
{
	const int *fd = arg;

	while (!__atomic_load_n(&fd[1], __ATOMIC_RELAXED))
		renameat2(fd[0], "cap/kcore_dir", fd[0], "link", RENAME_EXCHANGE);
	return NULL;
}

/* Whoever swaps it behind the look at it has nothing removed elsewhere. */
static void test_swapped(const struct root_dir *root)
{
	int fd[2] = {open(root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0};
	pthread_t thread;
	int i;

	CHECK(root_dir__put(root, "/theirs/kcore", "theirs"));
	CHECK_EQ(symlinkat("../theirs", fd[0], "link"), 0);
	CHECK_EQ(mkdirat(fd[0], "cap", 0700), 0);
	CHECK_EQ(mkdirat(fd[0], "cap/kcore_dir", 0700), 0);
	CHECK_EQ(pthread_create(&thread, NULL, swap, fd), 0);
	for (i = 0; i < SWAPS && holds(root, "/theirs/kcore", "theirs"); i++) {
		stage__remove_capture(fd[0], "cap");
		mkdirat(fd[0], "cap", 0700);
		mkdirat(fd[0], "cap/kcore_dir", 0700);
	}
	__atomic_store_n(&fd[1], 1, __ATOMIC_RELAXED);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(i, SWAPS);
	close(fd[0]);
}

/* @memory: as on a file system without O_TMPFILE. */
static int publish_dir(const struct root_dir *root, const char *text, bool memory)
{
	struct stage_target target;
	struct stage_file files[] = {
		{-1, "data", 0600},	   {-1, "kcore_dir/kcore", 0400}, {-1, PROGRAM, 0400},
		{-1, STAGE_WINDOWS, 0600}, {-1, DEBUG_DIR_UPROBES, 0400}, /* another name for the program */
	};
	int err, i;

	if (!make_target(root, "/cap.data/", &target))
		return -EINVAL;
	for (i = 0; i < 4; i++) {
		files[i].fd = memory ? memfd_create("test", 0) : stage__open(&target);
		CHECK_EQ(stage__write_at(files[i].fd, 0, (struct span){text, strlen(text)}), 0);
	}
	files[4].fd = files[2].fd;
	err = stage__publish_dir(&target, files, ARRAY_SIZE(files));
	for (i = 0; i < 4; i++)
		close(files[i].fd);
	stage__target_release(&target);
	return err;
}

/* As perf record leaves them. */
static void test_files(const struct root_dir *root)
{
	CHECK(root_dir__put(root, "/cap.data.old", "one"));
	CHECK(root_dir__put(root, "/cap.data", "two"));
	CHECK_EQ(publish_dir(root, "three", false), 0);
	CHECK(holds(root, "/cap.data/data", "three"));
	CHECK(holds(root, "/cap.data.old", "two"));
	CHECK_EQ(count_names(root), 2);
}

static void test_dirs(const struct root_dir *root)
{
	CHECK_EQ(publish_dir(root, "four", false), 0);
	CHECK(holds(root, "/cap.data/data", "four"));
	CHECK(holds(root, "/cap.data/kcore_dir/kcore", "four"));
	CHECK(holds(root, "/cap.data/" PROGRAM, "four"));
	CHECK(holds(root, "/cap.data/" STAGE_WINDOWS, "four"));
	CHECK(holds(root, "/cap.data/" DEBUG_DIR_UPROBES, "four"));
	CHECK_EQ(mode(root, "/cap.data"), 0700);
	CHECK_EQ(mode(root, "/cap.data/debug/.build-id"), 0700);
	CHECK_EQ(mode(root, "/cap.data/kcore_dir"), 0700);
	CHECK_EQ(mode(root, "/cap.data/kcore_dir/kcore"), 0400);
	CHECK(holds(root, "/cap.data.old/data", "three"));
	CHECK_EQ(publish_dir(root, "five", true), 0);
	CHECK_EQ(publish_dir(root, "six", true), 0); /* removes a directory of ours */
	CHECK(holds(root, "/cap.data/kcore_dir/kcore", "six"));
	CHECK_EQ(mode(root, "/cap.data/kcore_dir/kcore"), 0400);
	CHECK(holds(root, "/cap.data.old/data", "five"));
	CHECK_EQ(count_names(root), 2);
}

/* What somebody else put there stays, and so does the capture that was there. */
static void test_foreign_files(const struct root_dir *root)
{
	CHECK(root_dir__put(root, "/cap.data.old/notes", "mine"));
	CHECK_EQ(publish_dir(root, "seven", false), -ENOTEMPTY);
	CHECK(holds(root, "/cap.data/data", "six"));
	CHECK(holds(root, "/cap.data.old/notes", "mine"));
	CHECK(holds(root, "/cap.data.old/data", "five"));
	CHECK_EQ(count_names(root), 2);
}

/* The same below the programs that it holds. */
static void test_foreign_program(const struct root_dir *root)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/cap.data.old/notes", root->path);
	CHECK_EQ(unlink(path), 0);
	CHECK(root_dir__put(root, "/cap.data.old/debug/.build-id/12/mine", "mine"));
	CHECK_EQ(publish_dir(root, "eight", false), -ENOTEMPTY);
	CHECK(holds(root, "/cap.data.old/" PROGRAM, "five"));
	CHECK(holds(root, "/cap.data.old/debug/.build-id/12/mine", "mine"));
	snprintf(path, sizeof(path), "%s/cap.data.old/debug/.build-id/12/mine", root->path);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(publish_dir(root, "nine", false), 0);
	CHECK(holds(root, "/cap.data/" PROGRAM, "nine"));
	CHECK(holds(root, "/cap.data.old/" PROGRAM, "six"));
}

/* What is no file has a name of its own there, and goes with the others. */
static void test_vdso(const struct root_dir *root)
{
	CHECK(root_dir__put(root, "/cap.data/debug/.build-id/12/cd/vdso", "image"));
	CHECK_EQ(publish_dir(root, "ten", false), 0);
	CHECK(holds(root, "/cap.data.old/debug/.build-id/12/cd/vdso", "image"));
	CHECK_EQ(publish_dir(root, "eleven", false), 0);
	CHECK(holds(root, "/cap.data.old/" PROGRAM, "ten"));
}

static void test_program_name(void)
{
	struct build_id id = {.size = 3, .data = {0x12, 0xab, 0x09}};
	char name[DEBUG_DIR_NAME_SIZE];

	debug_dir__name(&id, DEBUG_DIR_ELF, name);
	CHECK_STREQ(name, PROGRAM);
	id.size = BUILD_ID_MAX;
	debug_dir__name(&id, DEBUG_DIR_ELF, name);
	CHECK_EQ(strlen(name), strlen("debug/.build-id/12/") + 38 + strlen("/elf"));
}

int main(void)
{
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	test_files(&root);
	test_dirs(&root);
	test_foreign_files(&root);
	test_foreign_program(&root);
	test_second_name(&root);
	test_vdso(&root);
	test_holes(&root);
	test_many_holes(&root);
	test_swapped(&root);
	test_left_over(&root);
	test_killed(&root);
	test_program_name();
	root_dir__remove(&root);
	return check__done();
}
