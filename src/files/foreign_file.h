/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens and reads files of others: of targets, of containers, of any process, of users. Their owners may put
 * anything in their place. So only a regular file is opened for reading (to open a device has effects), no
 * link leads out of the root directory in question, and no more is read than is wanted.
 */
#ifndef AUXBPF_FILES_FOREIGN_FILE_H
#define AUXBPF_FILES_FOREIGN_FILE_H

#include <glob.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* The error of foreign_file__open() and the other functions for anything that is no regular file. */
#define FOREIGN_FILE_NOT_REGULAR (-EMEDIUMTYPE)

/*
 * foreign_file__watch() has @visit called before a file system of others is asked for something in this
 * process, which must be one that can be given up (file_helper.h). @visit gets the device, makedev(), and a
 * path for messages or NULL. The negative errno that it may return becomes the error of what was about to be
 * done.
 */
typedef int (*foreign_file_visit_fn)(uint64_t dev, const char *path);
#define FOREIGN_FILE_OURS UINT64_MAX	   /* the device of our own files */
#define FOREIGN_FILE_SAME (UINT64_MAX - 1) /* the device that was asked last */
void foreign_file__watch(foreign_file_visit_fn visit);

/*
 * To be called before the file system of @fd is asked for something (visit), each time when it is asked for
 * more of that file (again), and before our own files are used (leave). foreign_file__visit() itself does not
 * ask that file system.
 */
int foreign_file__visit(int fd, const char *path) _must_check_;
int foreign_file__again(void) _must_check_;
void foreign_file__leave(void);

/*
 * Opens for reading the file that @path is for a process whose root directory is @root, an O_PATH descriptor:
 * neither symbolic links nor ".." lead out of it (openat2(2), RESOLVE_IN_ROOT). Links are followed one by
 * one, so that it is known which file system is asked next. Returns a descriptor, close-on-exec, or a
 * negative errno.
 */
int foreign_file__open(int root, const char *path) _must_check_ _nonnull_(2);

/* Opens a file in our own root directory. The path is ours but for its last name, which must not be a
 * symbolic link. */
int foreign_file__open_here(const char *path) _must_check_ _nonnull_(1);

/* Opens the file that a process has mapped from @start to @end. @root is the directory that has /proc. */
int foreign_file__open_mapped(const char *root, uint32_t pid, uint64_t start, uint64_t end) _must_check_
	_nonnull_(1);

/*
 * Find the file as the functions above do, and return an O_PATH descriptor, whatever the kind of the file. To
 * close it does not ask the file's system; to close one that was opened for reading does.
 */
int foreign_file__find(int root, const char *path) _must_check_ _nonnull_(2);
int foreign_file__find_mapped(const char *root, uint32_t pid, uint64_t start, uint64_t end) _must_check_
	_nonnull_(1);

/* Opens for reading the regular file that @found stands for; @found stays the caller's. */
int foreign_file__reopen(int found) _must_check_;

/* Do what glob(3) and stat(2) do, for an absolute path, by the functions above. */
int foreign_file__glob(const char *pattern, int flags, glob_t *found) _must_check_ _nonnull_(1, 3);
int foreign_file__stat(const char *path, struct stat *st) _must_check_ _nonnull_(1, 2);

/* Appends the whole file to @b. 0, -EFBIG if it has more than @max bytes, or another negative errno. */
int foreign_file__read(int fd, size_t max, struct buf *b) _must_check_ _nonnull_(3);

#endif
