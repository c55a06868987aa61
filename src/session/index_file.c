// SPDX-License-Identifier: GPL-2.0-only
#include "session/index_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "base/log.h"

/* Not to be read too: 9p would write again what it has read (seen with Linux 7.3). */
#define APPEND_FLAGS (O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)

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
	file->fd = openat(file->dirfd, name, O_CREAT | APPEND_FLAGS, 0600);
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

static void set_size(struct index_file *file, uint64_t size)
{
	__atomic_store_n(&file->size, size, __ATOMIC_RELAXED);
}

/* Where the first line that begins behind @at begins; negative errno. */
static off_t find_line(int fd, off_t at)
{
	char text[4096];
	ssize_t n;

	while ((n = pread(fd, text, sizeof(text), at)) > 0) {
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

/* Copies the newest lines to the file @new_name, which must not be there. Returns how many bytes, or an error. */
static off_t copy_newest(const struct index_file *file)
{
	_cleanup_close_ int from = -1, to = -1;
	off_t at;
	int err;

	from = openat(file->dirfd, file->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	to = openat(file->dirfd, file->new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (from < 0 || to < 0)
		return -errno;
	at = find_line(from, (off_t)(file->size - file->max / 2));
	if (at < 0)
		return at;
	err = copy(to, from, at, file->size - (uint64_t)at);
	return err ? err : (off_t)file->size - at;
}

/* The newest lines are a file of their own, which takes this one's name. */
static int cut(struct index_file *file)
{
	_cleanup_close_ int fd = -1;
	off_t size;

	if (unlinkat(file->dirfd, file->new_name, 0) && errno != ENOENT)
		return -errno;
	size = copy_newest(file);
	if (size >= 0)
		fd = openat(file->dirfd, file->new_name, APPEND_FLAGS);
	if (size >= 0 && (fd < 0 || renameat(file->dirfd, file->new_name, file->dirfd, file->name)))
		size = -errno;
	if (size < 0) {
		unlinkat(file->dirfd, file->new_name, 0);
		return (int)size;
	}
	close(file->fd);
	file->fd = steal_fd(&fd);
	set_size(file, (uint64_t)size);
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
	set_size(file, file->size + len);
	err = file->max && file->size > file->max ? cut(file) : 0;
	if (err)
		log_warn("cannot drop the oldest lines of %s: %s", file->name, strerror(-err));
	return 0;
}

uint64_t index_file__size(const struct index_file *file)
{
	return __atomic_load_n(&file->size, __ATOMIC_RELAXED);
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
