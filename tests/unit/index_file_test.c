// SPDX-License-Identifier: GPL-2.0-only
/* Lines that are added for long: the newest are there, whole, and no more than the limit. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/log.h"
#include "check.h"
#include "snapshot/index_file.h"

#define LINES 5000
#define MAX 8192

static char dir[] = "/tmp/auxbpf-index-XXXXXX";
static int dir_fd;

static int open_index(const char *name, uint64_t max, struct index_file **ret)
{
	const struct index_file_opts opts = {.dirfd = dir_fd, .dir = dir, .name = name, .max = max};

	return index_file__open(&opts, ret);
}

static FILE *open_lines(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/lines", dir);
	return fopen(path, "r");
}

static void add(struct index_file *file, int i)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "line %d\n", i);

	CHECK_EQ(index_file__add(file, line, (size_t)len), 0);
}

/* The number in the first line; all behind it follow, up to @last. */
static int check_lines(const struct index_file *file, int last)
{
	_cleanup_fclose_ FILE *f = open_lines();
	int first = -1, at, expected;
	char text[64];

	if (!CHECK(f))
		return -1;
	for (expected = -1; fgets(text, sizeof(text), f); expected = at + 1) {
		at = atoi(text + 5);
		if (first < 0)
			first = expected = at;
		CHECK_EQ(at, expected);
	}
	CHECK_EQ(expected, last + 1);
	CHECK_EQ(ftell(f), index_file__size(file));
	return first;
}

static void test_limit(void)
{
	_cleanup_(cleanup__index_file) struct index_file *file = NULL;
	struct stat st;
	char path[128];

	if (!CHECK_EQ(open_index("lines", MAX, &file), 0))
		return;
	for (int i = 0; i < LINES; i++) {
		add(file, i);
		if (i == 300)
			CHECK_EQ(check_lines(file, i), 0);
	}
	/* About half of the limit at least. */
	CHECK(index_file__size(file) <= MAX);
	CHECK(check_lines(file, LINES - 1) <= LINES - MAX / 2 / (int)sizeof("line 4999"));
	snprintf(path, sizeof(path), "%s/lines", dir);
	CHECK_EQ(stat(path, &st), 0);
	CHECK_EQ(st.st_mode & 07777, 0600);
	snprintf(path, sizeof(path), "%s/.lines.new", dir);
	CHECK(access(path, F_OK));
}

/* What was there goes on, and somebody's lines that are longer than the limit are cut as well. */
static void test_reopened(void)
{
	_cleanup_(cleanup__index_file) struct index_file *file = NULL;
	int first;

	if (!CHECK_EQ(open_index("lines", 0, &file), 0))
		return;
	first = check_lines(file, LINES - 1);
	add(file, LINES);
	CHECK_EQ(check_lines(file, LINES), first);
	for (int i = LINES + 1; i < 2 * LINES; i++)
		add(file, i);
	index_file__close(steal_ptr(file));
	if (!CHECK_EQ(open_index("lines", MAX, &file), 0))
		return;
	add(file, 2 * LINES);
	CHECK(check_lines(file, 2 * LINES) > first);
}

static void make_path(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", dir, name);
}

/* A link elsewhere; what would block; what another user can read and change. */
static void test_foreign(void)
{
	struct index_file *file = NULL;
	char path[128];
	int fd;

	make_path("link", path, sizeof(path));
	CHECK_EQ(symlink("/etc/passwd", path), 0);
	CHECK_EQ(open_index("link", 0, &file), -ELOOP);
	CHECK_EQ(unlink(path), 0);
	make_path("pipe", path, sizeof(path));
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK_EQ(open_index("pipe", 0, &file), -ENXIO);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	CHECK_EQ(open_index("pipe", 0, &file), -EPERM);
	CHECK_EQ(close(fd), 0);
	CHECK_EQ(unlink(path), 0);
	make_path("shared", path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK_EQ(fchmod(fd, 0666), 0);
	CHECK_EQ(open_index("shared", 0, &file), -EPERM);
	CHECK_EQ(fchmod(fd, 0600), 0);
	if (CHECK(!geteuid())) {
		CHECK_EQ(fchown(fd, 12345, 12345), 0);
		CHECK_EQ(open_index("shared", 0, &file), -EPERM);
	}
	CHECK_EQ(close(fd), 0);
	CHECK_EQ(unlink(path), 0);
}

/* A line that was being written when the machine stopped is dropped, and the next one is whole. */
static void test_torn(void)
{
	struct index_file *file = NULL;
	char path[128], text[64] = "";
	int fd;

	make_path("torn", path, sizeof(path));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK_EQ(write(fd, "first\n{\"cut", 10), 10);
	CHECK_EQ(open_index("torn", 0, &file), 0);
	CHECK_EQ(index_file__size(file), 6);
	CHECK_EQ(index_file__add(file, "last\n", 5), 0);
	index_file__close(file);
	CHECK_EQ(pread(fd, text, sizeof(text), 0), 11);
	CHECK_STREQ(text, "first\nlast\n");
	CHECK_EQ(ftruncate(fd, 3), 0);
	CHECK_EQ(open_index("torn", 0, &file), 0);
	CHECK_EQ(index_file__size(file), 0);
	index_file__close(file);
	CHECK_EQ(close(fd), 0);
	CHECK_EQ(unlink(path), 0);
}

/* Somebody takes it away, or puts his own there. */
static void test_removed(void)
{
	struct index_file *file = NULL;
	char path[128], other[128];
	struct stat st;

	make_path("gone", path, sizeof(path));
	make_path("other", other, sizeof(other));
	CHECK_EQ(open_index("gone", 0, &file), 0);
	CHECK_EQ(index_file__add(file, "first\n", 6), 0);
	CHECK_EQ(rename(path, other), 0);
	CHECK_EQ(index_file__add(file, "next\n", 5), 0);
	CHECK_EQ(index_file__size(file), 5);
	CHECK_EQ(stat(path, &st), 0);
	CHECK_EQ(st.st_size, 5);
	CHECK_EQ(st.st_mode & 07777, 0600);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(symlink(other, path), 0);
	CHECK_EQ(index_file__add(file, "next\n", 5), -ELOOP);
	CHECK_EQ(stat(other, &st), 0);
	CHECK_EQ(st.st_size, 6);
	index_file__close(file);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(unlink(other), 0);
}

/* No place for all of a line: what was there stays whole, and so does the next one. */
static void test_no_room(void)
{
	const struct rlimit small = {.rlim_cur = 12, .rlim_max = RLIM_INFINITY};
	const struct rlimit any = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
	struct index_file *file = NULL;
	char path[128], text[64] = "";
	FILE *f;

	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(open_index("small", 0, &file), 0);
	CHECK_EQ(index_file__add(file, "first\n", 6), 0);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
	CHECK_EQ(index_file__add(file, "too long\n", 9), -ENOSPC);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &any), 0);
	CHECK_EQ(index_file__add(file, "last\n", 5), 0);
	index_file__close(file);
	make_path("small", path, sizeof(path));
	f = fopen(path, "r");
	if (CHECK(f)) {
		CHECK_EQ(fread(text, 1, sizeof(text) - 1, f), 11);
		CHECK_STREQ(text, "first\nlast\n");
		fclose(f);
	}
	CHECK_EQ(unlink(path), 0);
}

int main(void)
{
	char path[128];

	if (!CHECK(mkdtemp(dir)))
		return check__done();
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_limit();
	test_reopened();
	test_foreign();
	test_no_room();
	test_torn();
	test_removed();
	snprintf(path, sizeof(path), "%s/lines", dir);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(close(dir_fd), 0);
	CHECK_EQ(rmdir(dir), 0);
	return check__done();
}
