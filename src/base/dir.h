/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Directories by descriptors: what somebody puts in place of a name meanwhile, as a symbolic link, leads nowhere.
 */
#ifndef AUXBPF_BASE_DIR_H
#define AUXBPF_BASE_DIR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

/*
 * Goes down from @dirfd, which stays open, along @path, making what is not there, mode 0700. No symbolic link is
 * followed. Returns a descriptor or a negative errno.
 */
int dir__enter(int dirfd, const char *path) _must_check_ _nonnull_(2);

/* Goes down as dir__enter(), but makes nothing: a directory that is not there is -ENOENT. */
int dir__open(int dirfd, const char *path) _must_check_ _nonnull_(2);

/*
 * Opens @name in @dirfd for a look at its entries: NULL with errno set if it is no directory. No symbolic link is
 * followed; the caller closes it.
 */
DIR *dir__list(int dirfd, const char *name) _must_check_ _nonnull_(2);

/* The next entry but "." and ".."; NULL behind the last. */
const struct dirent *dir__next(DIR *dir) _nonnull_(1);

/*
 * What a file, or a directory with all below it, takes on the disk, bytes. Of a file with several names its part, or
 * with @alone nothing: what would be free without it.
 */
uint64_t dir__bytes(int dirfd, const char *name, bool alone) _nonnull_(2);

/*
 * Has what is written to a file, or the names in a directory, on the disk. A file system that cannot is used without.
 * 0 or a negative errno.
 */
int dir__sync_one(int fd) _must_check_;

/* Has all directories from @dirfd down on the disk, the lowest first. 0 or a negative errno. */
int dir__sync(int dirfd) _must_check_;

#endif
