// SPDX-License-Identifier: GPL-2.0-only
#include "capture/programs/buildid_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dir.h"
#include "base/log.h"
#include "files/build_ids.h"
#include "files/stage.h"

int buildid_cache__open(const char *dir)
{
	int fd, err;

	if (mkdir(dir, 0700) && errno != EEXIST)
		err = -errno;
	else if ((fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0)
		return fd;
	else
		err = -errno;
	log_err("cannot open the build-id cache %s: %s", dir, strerror(-err));
	return err;
}

static bool is_near(int dirfd, int fd)
{
	struct stat dir, file;

	return !fstat(dirfd, &dir) && !fstat(fd, &file) && dir.st_dev == file.st_dev;
}

/* Puts a file into a directory, as a link if possible, else as a copy. */
static int put_file(int dirfd, const struct buildid_cache_entry *entry)
{
	const struct stage_target target = {.dirfd = dirfd};
	_cleanup_close_ int fd = -1;
	bool near = is_near(dirfd, entry->fd);
	uint64_t bytes = 0;
	int err = 0;

	if (!near) {
		fd = stage__open(&target);
		err = fd < 0 ? fd : stage__copy(entry->fd, fd, UINT64_MAX, &bytes);
	}
	return err ? err : stage__give_name(near ? entry->fd : fd, dirfd, entry->what, 0400, entry->sync);
}

/* Adds the link to a copy, which has its name already. */
static int add_link(int dirfd, const char *link, const struct buildid_cache_entry *entry, const char *id)
{
	_cleanup_free_ char *to = NULL;
	char *at = strrchr(link, '/');
	_cleanup_free_ char *parent = strndup(link, (size_t)(at - link));
	_cleanup_close_ int fd = parent ? dir__enter(dirfd, parent) : -ENOMEM;

	if (fd < 0)
		return fd;
	if (asprintf(&to, "../..%s%s/%s", *entry->path == '/' ? "" : "/", entry->path, id) < 0) {
		to = NULL;
		return -ENOMEM;
	}
	if (!symlinkat(to, fd, at + 1) || errno == EEXIST)
		return 0;
	return -errno;
}

bool buildid_cache__has(int dirfd, const struct build_id *id, const char *what)
{
	char link[BUILD_ID_PATH_SIZE], path[BUILD_ID_PATH_SIZE + NAME_MAX];

	build_id__path(id, link);
	snprintf(path, sizeof(path), "%s/%s", link, what);
	return !faccessat(dirfd, path, F_OK, 0);
}

int buildid_cache__add(int dirfd, const struct buildid_cache_entry *entry)
{
	char link[BUILD_ID_PATH_SIZE], id[BUILD_ID_DIGITS_SIZE];
	_cleanup_free_ char *dir = NULL;
	_cleanup_close_ int fd = -1;
	int err;

	if (buildid_cache__has(dirfd, &entry->id, entry->what))
		return 0;
	build_id__path(&entry->id, link);
	build_id__digits(&entry->id, id);
	if (asprintf(&dir, "%s/%s", entry->path, id) < 0) {
		dir = NULL;
		return -ENOMEM;
	}
	fd = dir__enter(dirfd, dir);
	err = fd < 0 ? fd : put_file(fd, entry);
	if (err && err != -EEXIST)
		return err;
	return add_link(dirfd, link, entry, id);
}
