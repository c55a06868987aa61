// SPDX-License-Identifier: GPL-2.0-only
#include "session/index_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "base/log.h"

struct index_file {
	int dirfd;
	int fd;
	char *name;
	char *new_name; /* of what takes its place */
	uint64_t max;
	uint64_t size;
};

static int open_file(struct index_file *file, const char *dir, const char *name)
{
	struct stat st;

	file->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file->dirfd < 0)
		return -errno;
	file->fd = openat(file->dirfd, name, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file->fd < 0 || fstat(file->fd, &st))
		return -errno;
	file->size = (uint64_t)st.st_size;
	return 0;
}

int index_file__open(const char *dir, const char *name, uint64_t max, struct index_file **ret)
{
	_cleanup_(cleanup__index_file) struct index_file *file = calloc(1, sizeof(*file));
	int err;

	if (!file)
		return -ENOMEM;
	file->fd = file->dirfd = -1;
	file->max = max;
	file->name = strdup(name);
	if (!file->name || asprintf(&file->new_name, ".%s.new", name) < 0)
		return -ENOMEM;
	err = open_file(file, dir, name);
	if (err)
		log_err("cannot open %s/%s: %s", dir, name, strerror(-err));
	else
		*ret = steal_ptr(file);
	return err;
}

/* Where the first line that begins behind @at begins; negative errno. */
static off_t find_line(const struct index_file *file, off_t at)
{
	char text[4096];
	ssize_t n;

	while ((n = pread(file->fd, text, sizeof(text), at)) > 0) {
		const char *end = memchr(text, '\n', (size_t)n);

		if (end)
			return at + (end - text) + 1;
		at += n;
	}
	return n < 0 ? -errno : at;
}

static int copy(int to, int from, off_t at, size_t len)
{
	while (len) {
		ssize_t n = sendfile(to, from, &at, len);

		if (n <= 0)
			return n ? -errno : -EIO;
		len -= (size_t)n;
	}
	return 0;
}

/* The newest lines in a file of their own, which takes this one's name. */
static int cut(struct index_file *file)
{
	_cleanup_close_ int fd = -1;
	off_t from = find_line(file, (off_t)(file->size - file->max / 2));
	uint64_t size = file->size - (uint64_t)from;
	int err;

	if (from < 0)
		return (int)from;
	if (unlinkat(file->dirfd, file->new_name, 0) && errno != ENOENT)
		return -errno;
	fd = openat(file->dirfd, file->new_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = copy(fd, file->fd, from, size);
	/* sendfile(2) does not append. */
	if (!err && fcntl(fd, F_SETFL, O_APPEND))
		err = -errno;
	if (!err && renameat(file->dirfd, file->new_name, file->dirfd, file->name))
		err = -errno;
	if (err) {
		unlinkat(file->dirfd, file->new_name, 0);
		return err;
	}
	close(file->fd);
	file->fd = steal_fd(&fd);
	file->size = size;
	return 0;
}

int index_file__add(struct index_file *file, const char *line, size_t len)
{
	ssize_t n = write(file->fd, line, len);
	int err;

	if (n < 0)
		return -errno;
	if ((size_t)n < len)
		return ftruncate(file->fd, (off_t)file->size) ? -errno : -ENOSPC;
	file->size += len;
	err = file->max && file->size > file->max ? cut(file) : 0;
	if (err)
		log_warn("cannot drop the oldest lines of %s: %s", file->name, strerror(-err));
	return 0;
}

void index_file__close(struct index_file *file)
{
	if (!file)
		return;
	cleanup__close(&file->fd);
	cleanup__close(&file->dirfd);
	free(file->name);
	free(file->new_name);
	free(file);
}
