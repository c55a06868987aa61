/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of others: of targets, of containers, of any process, of users. Whoever owns them may put anything in their
 * place, so all of them are opened and read here: nothing but a regular file is opened for reading (opening a device
 * does things), no link leads out of the root directory in question, and no more is read than is wanted.
 */
#ifndef AUXBPF_KERNEL_FOREIGN_FILE_H
#define AUXBPF_KERNEL_FOREIGN_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* What foreign_file__open() and the others say of what is no regular file. */
#define FOREIGN_FILE_NOT_REGULAR (-EMEDIUMTYPE)

/*
 * Opens for reading what @path is for a process whose root directory is @root, an O_PATH descriptor: neither
 * symbolic links nor ".." lead out of it (openat2(2), RESOLVE_IN_ROOT). A descriptor, close-on-exec, or a negative
 * errno.
 */
int foreign_file__open(int root, const char *path) _must_check_ _nonnull_(2);

/* The same for the last name of a path that is ours up to there: it is no symbolic link. */
int foreign_file__open_here(const char *path) _must_check_ _nonnull_(1);

/* The same for what a process has mapped from @start to @end. @root is where /proc is. */
int foreign_file__open_mapped(const char *root, uint32_t pid, uint64_t start, uint64_t end) _must_check_
	_nonnull_(1);

/*
 * The first halves of these: a descriptor that stands for what is there, of whatever kind, with O_PATH. To close it asks
 * nothing of the file's system, as to close one that can be read does.
 */
int foreign_file__find(int root, const char *path) _must_check_ _nonnull_(2);
int foreign_file__find_mapped(const char *root, uint32_t pid, uint64_t start, uint64_t end) _must_check_
	_nonnull_(1);

/* The second half: opens for reading what @found stands for, which stays the caller's, if it is a regular file. */
int foreign_file__reopen(int found) _must_check_;

/* Appends the whole file, from its begin. 0, -EFBIG if it has more than @max bytes, or another negative errno. */
int foreign_file__read(int fd, size_t max, struct buf *b) _must_check_ _nonnull_(3);

#endif
