// SPDX-License-Identifier: GPL-2.0-only
/* Lines that are added for long: the newest are there, whole, and no more than the limit. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/log.h"
#include "check.h"
#include "session/index_file.h"

#define LINES 5000
#define MAX 8192

static char dir[] = "/tmp/auxbpf-index-XXXXXX";

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

	if (!CHECK_EQ(index_file__open(dir, "lines", MAX, &file), 0))
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

	if (!CHECK_EQ(index_file__open(dir, "lines", 0, &file), 0))
		return;
	first = check_lines(file, LINES - 1);
	add(file, LINES);
	CHECK_EQ(check_lines(file, LINES), first);
	for (int i = LINES + 1; i < 2 * LINES; i++)
		add(file, i);
	index_file__close(steal_ptr(file));
	if (!CHECK_EQ(index_file__open(dir, "lines", MAX, &file), 0))
		return;
	add(file, 2 * LINES);
	CHECK(check_lines(file, 2 * LINES) > first);
}

static void test_errors(void)
{
	struct index_file *file = NULL;
	char path[128];

	CHECK_EQ(index_file__open("/nonexistent", "lines", 0, &file), -ENOENT);
	snprintf(path, sizeof(path), "%s/link", dir);
	CHECK_EQ(symlink("/etc/passwd", path), 0);
	CHECK_EQ(index_file__open(dir, "link", 0, &file), -ELOOP);
	CHECK_EQ(unlink(path), 0);
	/* No place for a line: what was there stays whole. */
	CHECK_EQ(index_file__open("/dev", "full", 0, &file), 0);
	CHECK_EQ(index_file__add(file, "x\n", 2), -ENOSPC);
	index_file__close(file);
}

int main(void)
{
	char path[128];

	if (!CHECK(mkdtemp(dir)))
		return check__done();
	test_limit();
	test_reopened();
	test_errors();
	snprintf(path, sizeof(path), "%s/lines", dir);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(rmdir(dir), 0);
	return check__done();
}
