// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which file systems are not asked any more: those that did not answer, and those that take too long too often.
 */
#include "files/file_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "files/foreign_file.h"

static void take(unsigned int ms)
{
	const struct timespec time = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static void test_lost(struct file_watch *watch)
{
	struct file_watch *next = NULL;
	int copy;

	CHECK_EQ(file_watch__nr_lost(watch), 0);
	CHECK(!file_watch__is_lost(watch, 5));
	file_watch__lose(watch, 5);
	file_watch__lose(watch, 0);
	CHECK(file_watch__is_lost(watch, 5));
	/* What could not be named is no device. */
	CHECK(!file_watch__is_lost(watch, 0));
	if (!CHECK_EQ(file_watch__new(watch, &copy, &next), 0))
		return;
	CHECK(file_watch__is_lost(next, 5) && !file_watch__is_lost(next, 6));
	for (int i = 2; i < FILE_WATCH_LOST_MAX; i++)
		file_watch__lose(next, 100);
	CHECK(file_watch__is_lost(next, 6));
	CHECK(!file_watch__is_lost(watch, 6));
	file_watch__free(next);
	close(copy);
}

/* Where it is now; and which files are ours. */
static void test_visit(struct file_watch *watch, int fd)
{
	char path[FILE_WATCH_PATH_MAX];
	uint64_t steps;

	file_watch__rest(watch);
	CHECK_EQ(file_watch__dev(watch), 0);
	CHECK_EQ(foreign_file__visit(fd, "/some/file"), 0);
	CHECK(file_watch__dev(watch) != 0);
	file_watch__path(watch, path);
	CHECK_STREQ(path, "/some/file");
	steps = file_watch__steps(watch);
	CHECK_EQ(foreign_file__again(), 0);
	CHECK(file_watch__steps(watch) != steps);
	foreign_file__leave();
	CHECK(file_watch__is_at_ours(watch));
	CHECK_EQ(file_watch__dev(watch), 0);
	file_watch__rest(watch);
	CHECK(!file_watch__is_at_ours(watch));
}

/* Each time is short of what would be given up; what our own files take is nobody's debt. */
static void test_drip(struct file_watch *watch, int fd)
{
	int err = 0, times = 0;

	CHECK_EQ(foreign_file__visit(fd, NULL), 0);
	foreign_file__leave();
	take(FILE_WATCH_DEBT + FILE_WATCH_FREE);
	CHECK_EQ(foreign_file__visit(fd, NULL), 0);
	while (!err && times++ < 100) {
		take(1500);
		err = foreign_file__again();
	}
	CHECK_EQ(err, -ETIMEDOUT);
	CHECK(times > 1);
	CHECK_EQ(file_watch__nr_lost(watch), 1);
	CHECK_EQ(foreign_file__visit(fd, NULL), -ETIMEDOUT);
}

int main(void)
{
	struct file_watch *watch = NULL, *other = NULL;
	int fd = open("/", O_PATH), first, second;

	if (!CHECK(fd >= 0) || !CHECK_EQ(file_watch__new(NULL, &first, &watch), 0) ||
	    !CHECK_EQ(file_watch__new(NULL, &second, &other), 0))
		return check__done();
	test_lost(watch);
	file_watch__serve(other);
	test_visit(other, fd);
	test_drip(other, fd);
	file_watch__free(watch);
	file_watch__free(other);
	file_watch__free(NULL);
	return check__done();
}
