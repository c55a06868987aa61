/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of others: of targets, of containers, of any process, of users. Whoever owns them may put anything in their
 * place, so all of them are opened and read here: nothing but a regular file is opened for reading (opening a device
 * does things), no link leads out of the root directory in question, and no more is read than is wanted.
 */
#ifndef AUXBPF_FILES_FOREIGN_FILE_H
#define AUXBPF_FILES_FOREIGN_FILE_H

#include <glob.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* What foreign_file__open() and the others say of what is no regular file. */
#define FOREIGN_FILE_NOT_REGULAR (-EMEDIUMTYPE)

/*
 * Has @visit called before a file system of others is asked for something, in this process, which is one that can
 * be given up (file_helper.h): with its device, makedev(), and a path for messages or NULL. What it returns, 0 or
 * a negative errno, is an error of what was about to be done.
 */
typedef int (*foreign_file_visit_fn)(uint64_t dev, const char *path);
#define FOREIGN_FILE_OURS UINT64_MAX	   /* a file that is none of others' */
#define FOREIGN_FILE_SAME (UINT64_MAX - 1) /* the same as before, once more */
void foreign_file__watch(foreign_file_visit_fn visit);

/*
 * To be called before something is asked of what @fd stands for, of whose file system nothing is asked here; to be
 * called each time something more of the same file is asked; and before something is asked of our own files.
 */
int foreign_file__visit(int fd, const char *path) _must_check_;
int foreign_file__again(void) _must_check_;
void foreign_file__leave(void);

/*
 * Opens for reading what @path is for a process whose root directory is @root, an O_PATH descriptor: neither
 * symbolic links nor ".." lead out of it (openat2(2), RESOLVE_IN_ROOT). A descriptor, close-on-exec, or a negative
 * errno. Links are followed one by one, so that it is known which file system is asked next.
 */
int foreign_file__open(int root, const char *path) _must_check_ _nonnull_(2);

/* The same for the last name of a path that is ours up to there: it is no symbolic link. */
int foreign_file__open_here(const char *path) _must_check_ _nonnull_(1);

/* The same for what a process has mapped from @start to @end. @root is where /proc is. */
int foreign_file__open_mapped(const char *root, uint32_t pid, uint64_t start, uint64_t end) _must_check_
	_nonnull_(1);

/*
 * The first halves of these: a descriptor that stands for what is there, of whatever kind, with O_PATH. To close
 * it asks nothing of the file's system, as to close one that can be read does.
 */
int foreign_file__find(int root, const char *path) _must_check_ _nonnull_(2);
int foreign_file__find_mapped(const char *root, uint32_t pid, uint64_t start, uint64_t end) _must_check_
	_nonnull_(1);

/* The second half: opens for reading what @found stands for, which stays the caller's, if it is a regular file. */
int foreign_file__reopen(int found) _must_check_;

/* As glob(3) and stat(2), by the same ways. An absolute path. */
int foreign_file__glob(const char *pattern, int flags, glob_t *found) _must_check_ _nonnull_(1, 3);
int foreign_file__stat(const char *path, struct stat *st) _must_check_ _nonnull_(1, 2);

/* Appends the whole file, from its begin. 0, -EFBIG if it has more than @max bytes, or another negative errno. */
int foreign_file__read(int fd, size_t max, struct buf *b) _must_check_ _nonnull_(3);

#endif
