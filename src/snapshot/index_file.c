// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/index_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "base/dir.h"
#include "base/log.h"

/*
 * The file is opened only for writing: if it could be read too, 9p would write again what it has read (seen
 * with Linux 7.3).
 */
#define APPEND_FLAGS (O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)

struct index_file {
	int dirfd;	 /* the caller's */
	const char *dir; /* for messages */
	int fd;
	char *name;
	char *new_name; /* of the file that takes its place */
	bool sync;
	uint64_t max;
	uint64_t size;
};

static int sync_fd(const struct index_file *file, int fd)
{
	return file->sync ? dir__sync_one(fd) : 0;
}

static void set_size(struct index_file *file, uint64_t size)
{
	__atomic_store_n(&file->size, size, __ATOMIC_RELAXED);
}

/* Refuses a file that may block the writer, and one that another user can read or change. */
static int check_file(const struct index_file *file, int fd, struct stat *st)
{
	struct stat dir;
	const char *what = NULL;

	if (fstat(fd, st) || fstat(file->dirfd, &dir))
		return -errno;
	if (!S_ISREG(st->st_mode))
		what = "is no regular file";
	else if (st->st_uid != geteuid() && st->st_uid != dir.st_uid)
		what = "belongs to another user";
	else if (st->st_mode & (S_IWGRP | S_IWOTH))
		what = "can be written by others";
	if (what)
		log_err("%s/%s %s: remove it, or give another directory with -o", file->dir, file->name,
			what);
	return what ? -EPERM : 0;
}

/*
 * Returns the length without a last line that has no end because its writer was killed or the machine
 * stopped. Such a line is cut off, so that the next one is whole.
 */
static uint64_t whole_lines(const struct index_file *file, const struct stat *st)
{
	_cleanup_close_ int fd = openat(file->dirfd, file->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	off_t size = st->st_size;
	char last;

	while (fd >= 0 && size && pread(fd, &last, 1, size - 1) == 1 && last != '\n')
		size--;
	if (size == st->st_size || ftruncate(file->fd, size))
		return (uint64_t)st->st_size;
	log_warn("%s/%s ended in the middle of a line: that line is dropped", file->dir, file->name);
	return (uint64_t)size;
}

/* O_NONBLOCK: a pipe without a reader is not waited for. */
static int open_file(struct index_file *file)
{
	_cleanup_close_ int fd = openat(file->dirfd, file->name, O_CREAT | O_NONBLOCK | APPEND_FLAGS, 0600);
	struct stat st;
	int err = fd < 0 ? -errno : check_file(file, fd, &st);

	if (err && err != -EPERM)
		log_err("cannot open %s/%s: %s", file->dir, file->name, strerror(-err));
	if (err)
		return err;
	cleanup__close(&file->fd);
	file->fd = steal_fd(&fd);
	set_size(file, whole_lines(file, &st));
	return sync_fd(file, file->dirfd);
}

int index_file__open(const struct index_file_opts *opts, struct index_file **ret)
{
	_cleanup_(cleanup__index_file) struct index_file *file = calloc(1, sizeof(*file));
	int err;

	if (!file)
		return -ENOMEM;
	file->fd = -1;
	file->dirfd = opts->dirfd;
	file->dir = opts->dir;
	file->max = opts->max;
	file->sync = opts->sync;
	file->name = strdup(opts->name);
	if (!file->name || asprintf(&file->new_name, ".%s.new", opts->name) < 0)
		return -ENOMEM;
	err = open_file(file);
	if (!err)
		*ret = steal_ptr(file);
	return err;
}

/* Returns where the first line begins after @at, or a negative errno. */
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

/*
 * Copies the newest lines to the file @new_name, which must not exist. Returns their bytes or a negative
 * errno.
 */
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

/* Writes the newest lines to a file of their own, which then takes this one's name. */
static int cut(struct index_file *file)
{
	_cleanup_close_ int fd = -1;
	off_t size;

	if (unlinkat(file->dirfd, file->new_name, 0) && errno != ENOENT)
		return -errno;
	size = copy_newest(file);
	if (size >= 0)
		fd = openat(file->dirfd, file->new_name, APPEND_FLAGS);
	if (size >= 0 &&
	    (fd < 0 || sync_fd(file, fd) || renameat(file->dirfd, file->new_name, file->dirfd, file->name)))
		size = -errno;
	if (size < 0) {
		unlinkat(file->dirfd, file->new_name, 0);
		return (int)size;
	}
	close(file->fd);
	file->fd = steal_fd(&fd);
	set_size(file, (uint64_t)size);
	return sync_fd(file, file->dirfd);
}

/* Makes a new file if the old one was removed or renamed; the old one gets no more lines. */
static int look_for_name(struct index_file *file)
{
	struct stat named, st;

	if (!fstatat(file->dirfd, file->name, &named, AT_SYMLINK_NOFOLLOW) && !fstat(file->fd, &st) &&
	    named.st_ino == st.st_ino && named.st_dev == st.st_dev)
		return 0;
	log_warn("%s/%s was removed or renamed: it is made anew", file->dir, file->name);
	return open_file(file);
}

int index_file__add(struct index_file *file, const char *line, size_t len)
{
	int err = look_for_name(file);
	ssize_t n;

	if (err)
		return err;
	n = write(file->fd, line, len);
	if (n < 0)
		return -errno;
	if ((size_t)n < len)
		return ftruncate(file->fd, (off_t)file->size) ? -errno : -ENOSPC;
	set_size(file, file->size + len);
	if (sync_fd(file, file->fd))
		log_warn("the last line of %s may be lost if the machine stops now: %s", file->name,
			 strerror(errno));
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
	free(file->name);
	free(file->new_name);
	free(file);
}
