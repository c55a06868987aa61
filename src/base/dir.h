/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Directories by descriptors: whatever is put in place of a name meanwhile, such as a symbolic link, is not
 * followed.
 */
#ifndef AUXBPF_BASE_DIR_H
#define AUXBPF_BASE_DIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

/*
 * Goes down from @dirfd along @path and makes the directories that are missing, with mode 0700. No symbolic
 * link is followed, and @dirfd stays open. Returns a descriptor or a negative errno.
 */
int dir__enter(int dirfd, const char *path) _must_check_ _nonnull_(2);

/* Goes down like dir__enter() but makes nothing: a directory that is missing is -ENOENT. */
int dir__open(int dirfd, const char *path) _must_check_ _nonnull_(2);

/*
 * Opens the directory @name in @dirfd, so that its entries can be listed. No symbolic link is followed. The
 * caller closes it. Returns NULL with errno set on an error.
 */
DIR *dir__list(int dirfd, const char *name) _must_check_ _nonnull_(2);

/* Returns the next entry other than "." and "..", or NULL after the last. */
const struct dirent *dir__next(DIR *dir) _nonnull_(1);

/*
 * Returns how many bytes a file, or a directory with all below it, takes on the disk. A file with several
 * names counts with the share of one name. With @alone it does not count, so that the sum is what is free
 * once @name is removed.
 */
uint64_t dir__bytes(int dirfd, const char *name, bool alone) _nonnull_(2);

/*
 * Writes the contents of a file, or the names in a directory, to the disk. A file system that cannot do this
 * is no error. Returns 0 or a negative errno.
 */
int dir__sync_one(int fd) _must_check_;

/*
 * Writes the names in all directories from @dirfd down to the disk, the lowest first. Returns 0 or a negative
 * errno.
 */
int dir__sync(int dirfd) _must_check_;

#endif
