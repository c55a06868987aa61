// SPDX-License-Identifier: GPL-2.0-only
/* Whose directory the snapshots go to, and what becomes of one that is renamed or removed meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#include "base/log.h"
#include "check.h"
#include "root_dir.h"
#include "snapshot/snapshot_dir.h"

#define SWAPS 100000

static struct root_dir root;

static const char *path_of(const char *name)
{
	static char paths[4][128];
	static unsigned int nr;
	char *path = paths[nr++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", root.path, name);
	return path;
}

static int try_open(const char *name)
{
	_cleanup_(cleanup__snapshot_dir) struct snapshot_dir *dir = NULL;

	return snapshot_dir__open(path_of(name), &dir);
}

static mode_t mode(const char *name)
{
	struct stat st;

	return stat(path_of(name), &st) ? 0 : st.st_mode & 07777;
}

/* A new one, also where everybody may make directories, is ours alone, and for one recorder at a time. */
static void test_new(void)
{
	_cleanup_(cleanup__snapshot_dir) struct snapshot_dir *dir = NULL;

	CHECK_EQ(mkdir(path_of("sticky"), 0700), 0);
	CHECK_EQ(chmod(path_of("sticky"), 01777), 0);
	if (!CHECK_EQ(snapshot_dir__open(path_of("sticky/new/"), &dir), 0))
		return;
	CHECK_EQ(mode("sticky/new"), 0700);
	CHECK_EQ(try_open("sticky/new"), -EBUSY);
	CHECK_EQ(snapshot_dir__look(dir), 0);
	CHECK_EQ(try_open("sticky"), -EPERM);
	CHECK_EQ(try_open("none/new"), -ENOENT);
	CHECK(root_dir__put(&root, "/file", ""));
	CHECK_EQ(try_open("file"), -ENOTDIR);
}

static void test_foreign(void)
{
	CHECK_EQ(mkdir(path_of("dir"), 0755), 0);
	CHECK_EQ(try_open("dir"), 0);
	CHECK_EQ(chmod(path_of("dir"), 0775), 0);
	CHECK_EQ(try_open("dir"), -EPERM);
	CHECK_EQ(chmod(path_of("dir"), 0757), 0);
	CHECK_EQ(try_open("dir"), -EPERM);
	CHECK_EQ(chmod(path_of("dir"), 0700), 0);
	CHECK_EQ(symlink("dir", path_of("link")), 0);
	CHECK_EQ(try_open("link"), 0);
	CHECK_EQ(try_open("link/"), 0);
	if (!CHECK(!geteuid()))
		return;
	CHECK_EQ(lchown(path_of("link"), 12345, 12345), 0);
	CHECK_EQ(try_open("link"), -EPERM);
	CHECK_EQ(try_open("link/"), -EPERM);
	CHECK_EQ(chown(path_of("dir"), 12345, 12345), 0);
	CHECK_EQ(try_open("dir"), -EPERM);
	CHECK_EQ(lchown(path_of("link"), 0, 0), 0);
	CHECK_EQ(try_open("link"), -EPERM);
}

/* Exchanges a link of another user's and a directory of his, until the flag behind the descriptor is set. */
static void *swap(void *arg)
{
	int *fd = arg;

	while (!__atomic_load_n(&fd[1], __ATOMIC_RELAXED))
		CHECK_EQ(renameat2(fd[0], "swapped", fd[0], "other", RENAME_EXCHANGE), 0);
	return NULL;
}

/* Whoever owns the directory in which a link is may put something else into its place at any moment. */
static void test_swapped(void)
{
	int fd[2] = {open(root.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0};
	pthread_t thread;
	int opened = 0;

	CHECK_EQ(mkdir(path_of("ours"), 0700), 0);
	CHECK_EQ(symlink("ours", path_of("swapped")), 0);
	CHECK_EQ(lchown(path_of("swapped"), 12345, 12345), 0);
	CHECK_EQ(mkdir(path_of("other"), 0700), 0);
	CHECK_EQ(chown(path_of("other"), 12345, 12345), 0);
	CHECK_EQ(pthread_create(&thread, NULL, swap, fd), 0);
	for (int i = 0; i < SWAPS; i++)
		opened += !try_open("swapped");
	__atomic_store_n(&fd[1], 1, __ATOMIC_RELAXED);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(opened, 0);
	close(fd[0]);
}

static bool leads_to(const struct snapshot_dir *dir, const char *name)
{
	struct stat named, st;

	return !stat(path_of(name), &named) && !fstat(snapshot_dir__fd(dir), &st) &&
	       named.st_ino == st.st_ino;
}

/* Where there is no place for a new one, what is there still is used; without that there is none. */
static void test_moved(void)
{
	_cleanup_(cleanup__snapshot_dir) struct snapshot_dir *dir = NULL;
	int fd;

	CHECK_EQ(mkdir(path_of("parent"), 0700), 0);
	if (!CHECK_EQ(snapshot_dir__open(path_of("parent/out"), &dir), 0))
		return;
	fd = snapshot_dir__fd(dir);
	CHECK_EQ(rename(path_of("parent/out"), path_of("away")), 0);
	CHECK_EQ(snapshot_dir__look(dir), 1);
	CHECK_EQ(snapshot_dir__fd(dir), fd);
	CHECK(leads_to(dir, "parent/out"));
	CHECK_EQ(mode("parent/out"), 0700);
	CHECK_EQ(try_open("parent/out"), -EBUSY);
	CHECK_EQ(try_open("away"), 0);
	CHECK_EQ(snapshot_dir__look(dir), 0);
	CHECK_EQ(rmdir(path_of("parent/out")), 0);
	CHECK_EQ(snapshot_dir__look(dir), 1);
	CHECK(leads_to(dir, "parent/out"));
	CHECK_EQ(rename(path_of("parent"), path_of("elsewhere")), 0);
	CHECK_EQ(snapshot_dir__look(dir), 0);
	CHECK(leads_to(dir, "elsewhere/out"));
	CHECK_EQ(rmdir(path_of("elsewhere/out")), 0);
	CHECK_EQ(snapshot_dir__look(dir), -ENOENT);
	CHECK_EQ(mkdir(path_of("parent"), 0700), 0);
	CHECK_EQ(snapshot_dir__look(dir), 1);
}

int main(void)
{
	if (!CHECK(root_dir__make(&root)))
		return check__done();
	log__set_level(LOG_ERROR);
	test_new();
	test_foreign();
	test_swapped();
	test_moved();
	root_dir__remove(&root);
	return check__done();
}
