// SPDX-License-Identifier: GPL-2.0-only
#include "base/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* No directory is read below this level; a capture has fewer. */
#define DEPTH_MAX 8

/* Calls dirfd(), whose name a parameter of the functions below hides. */
static int fd_of(DIR *dir)
{
	return dirfd(dir);
}

/* Goes into the directory @name of @dirfd, which it closes. Returns a descriptor or a negative errno. */
static int step(int dirfd, const char *name, bool make)
{
	_cleanup_close_ int parent = dirfd;
	int fd;

	if (!strcmp(name, ".."))
		return -EINVAL;
	if (make && mkdirat(parent, name, 0700) && errno != EEXIST)
		return -errno;
	fd = openat(parent, name, DIR_FLAGS);
	return fd < 0 ? -errno : fd;
}

static int walk(int dirfd, const char *path, bool make)
{
	_cleanup_free_ char *copy = strdup(path);
	int fd = copy ? fcntl(dirfd, F_DUPFD_CLOEXEC, 0) : -1;
	char *rest = copy, *name;

	if (fd < 0)
		return copy ? -errno : -ENOMEM;
	while (fd >= 0 && (name = strsep(&rest, "/")))
		if (*name)
			fd = step(fd, name, make);
	return fd;
}

int dir__enter(int dirfd, const char *path)
{
	return walk(dirfd, path, true);
}

int dir__open(int dirfd, const char *path)
{
	return walk(dirfd, path, false);
}

DIR *dir__list(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, DIR_FLAGS), err;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir) {
		err = errno;
		close(fd);
		errno = err;
	}
	return dir;
}

const struct dirent *dir__next(DIR *dir)
{
	const struct dirent *entry;

	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			break;
	return entry;
}

static uint64_t bytes_of(int dirfd, const char *name, bool alone, int depth)
{
	_cleanup_closedir_ DIR *dir = NULL;
	const struct dirent *entry;
	struct stat st;
	uint64_t sum;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	sum = (uint64_t)st.st_blocks * 512;
	if (S_ISREG(st.st_mode))
		return alone && st.st_nlink > 1 ? 0 : sum / (st.st_nlink ?: 1);
	if (!S_ISDIR(st.st_mode))
		return 0;
	dir = depth < DEPTH_MAX ? dir__list(dirfd, name) : NULL;
	while (dir && (entry = dir__next(dir)))
		sum += bytes_of(fd_of(dir), entry->d_name, alone, depth + 1);
	return sum;
}

uint64_t dir__bytes(int dirfd, const char *name, bool alone)
{
	return bytes_of(dirfd, name, alone, 0);
}

int dir__sync_one(int fd)
{
	return fsync(fd) && errno != EINVAL && errno != EROFS && errno != EOPNOTSUPP ? -errno : 0;
}

static int sync_below(int dirfd, const char *name, int depth)
{
	_cleanup_closedir_ DIR *dir = dir__list(dirfd, name);
	const struct dirent *entry;
	int err = 0;

	if (!dir)
		return errno == ENOTDIR ? 0 : -errno;
	while (!err && depth < DEPTH_MAX && (entry = dir__next(dir)))
		if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)
			err = sync_below(fd_of(dir), entry->d_name, depth + 1);
	return err ? err : dir__sync_one(fd_of(dir));
}

int dir__sync(int dirfd)
{
	return sync_below(dirfd, ".", 0);
}
