// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/dir.h"
#include "base/log.h"

struct snapshot_dir {
	char *given;
	char *path; /* absolute, with no symbolic link in it */
	int fd;
	bool lost; /* it could not be made anew, and that was logged */
};

static bool is_ours(uid_t uid)
{
	return uid == geteuid() || !uid;
}

/* A directory that this process has just made is its own, whatever user a file server maps it to. */
static int check(int fd, const char *path, bool made)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!made && !is_ours(st.st_uid)) {
		log_err("the directory %s belongs to another user, number %u, who could change what is "
			"written there: give another one with -o",
			path, st.st_uid);
		return -EPERM;
	}
	if (st.st_mode & (S_IWGRP | S_IWOTH)) {
		log_err("others can write to the directory %s (mode %04o), and could change what is there: "
			"take that from them with chmod, or give another one with -o",
			path, st.st_mode & 07777);
		return -EPERM;
	}
	return 0;
}

/*
 * Locks the directory until the descriptor is closed. On a file system without such locks it is used without.
 */
static int lock(int fd, const char *path)
{
	if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return 0;
	log_err("another auxbpf records into %s: give another directory with -o", path);
	return -EBUSY;
}

/*
 * Opens the target of a symbolic link. Its owner can change where it leads, so the link is held open while it
 * is checked and read: its name may stand for something else at the next call.
 */
static int follow(const char *path)
{
	_cleanup_close_ int link = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), parent = -1;
	_cleanup_free_ char *copy = strdup(path);
	char to[PATH_MAX];
	struct stat st;
	ssize_t len;
	int fd;

	if (link < 0 || fstat(link, &st) || !copy)
		return -errno;
	if (!S_ISLNK(st.st_mode))
		return -ENOTDIR;
	if (!is_ours(st.st_uid)) {
		log_err("%s is a symbolic link of another user, number %u: give another directory with -o",
			path, st.st_uid);
		return -EPERM;
	}
	len = readlinkat(link, "", to, sizeof(to) - 1);
	parent = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (len < 0 || parent < 0)
		return -errno;
	to[len] = '\0';
	fd = openat(parent, to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The directory's own name is in the directory above. */
static void sync_parent(int fd)
{
	_cleanup_close_ int parent = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (parent >= 0 && dir__sync_one(parent))
		log_debug("the directory above that of the snapshots is not on the disk: %s",
			  strerror(errno));
}

static int open_dir(const char *path, bool *made)
{
	int fd;

	*made = !mkdir(path, 0700);
	if (!*made && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && !*made && (errno == ELOOP || errno == ENOTDIR))
		return follow(path);
	return fd < 0 ? -errno : fd;
}

/* Opens, checks and locks the directory. Logs. */
static int open_checked(const char *path, int *ret)
{
	bool made;
	_cleanup_close_ int fd = open_dir(path, &made);
	int err = fd < 0 ? fd : check(fd, path, made);

	if (!err)
		err = lock(fd, path);
	if (err && err != -EPERM && err != -EBUSY)
		log_err("cannot make the directory %s for the snapshots: %s", path, strerror(-err));
	if (!err && made)
		sync_parent(fd);
	if (!err)
		*ret = steal_fd(&fd);
	return err;
}

int snapshot_dir__open(const char *path, struct snapshot_dir **ret)
{
	_cleanup_(cleanup__snapshot_dir) struct snapshot_dir *dir = calloc(1, sizeof(*dir));
	size_t len = strlen(path);
	int err;

	if (!dir)
		return -ENOMEM;
	dir->fd = -1;
	/* With a slash at the end of the path a link would be followed. */
	while (len > 1 && path[len - 1] == '/')
		len--;
	dir->given = strndup(path, len);
	if (!dir->given)
		return -ENOMEM;
	err = open_checked(dir->given, &dir->fd);
	if (err)
		return err;
	dir->path = realpath(dir->given, NULL);
	if (!dir->path)
		return -errno;
	*ret = steal_ptr(dir);
	return 0;
}

const char *snapshot_dir__path(const struct snapshot_dir *dir)
{
	return dir->given;
}

int snapshot_dir__fd(const struct snapshot_dir *dir)
{
	return dir->fd;
}

static bool has_name(const struct snapshot_dir *dir)
{
	struct stat named, st;

	return !lstat(dir->path, &named) && !fstat(dir->fd, &st) && named.st_ino == st.st_ino &&
	       named.st_dev == st.st_dev;
}

/* Tells whether the directory still exists, under any name. */
static bool is_linked(const struct snapshot_dir *dir)
{
	struct stat st;

	return !fstat(dir->fd, &st) && st.st_nlink;
}

int snapshot_dir__look(struct snapshot_dir *dir)
{
	_cleanup_close_ int fd = -1;
	int err;

	if (has_name(dir)) {
		dir->lost = false;
		return 0;
	}
	if (dir->lost && is_linked(dir))
		return 0;
	err = open_checked(dir->path, &fd);
	if (!err && dup3(fd, dir->fd, O_CLOEXEC) < 0)
		err = -errno;
	if (!err) {
		log_warn("the directory %s was renamed or removed: it is made anew", dir->given);
		return 1;
	}
	if (!is_linked(dir))
		return err;
	log_warn("the directory %s was renamed and cannot be made anew: snapshots go on to where it is now",
		 dir->given);
	dir->lost = true;
	return 0;
}

void snapshot_dir__free(struct snapshot_dir *dir)
{
	if (!dir)
		return;
	cleanup__close(&dir->fd);
	free(dir->given);
	free(dir->path);
	free(dir);
}
