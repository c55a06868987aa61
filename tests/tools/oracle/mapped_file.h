/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A whole file, mapped: what is changed in memory stays out of it. The files compared here have up to some gigabytes.
 */
#ifndef ORACLE_MAPPED_FILE_H
#define ORACLE_MAPPED_FILE_H

#include <stddef.h>

#include "base/cleanup.h"

/* Zero-initialised is valid and empty, as is the mapping of an empty file. */
struct mapped_file {
	const void *data;
	size_t size;
};

/* Returns 0 or a negative errno, and then says on stderr what could not be read. */
int mapped_file__open(struct mapped_file *file, const char *path) _must_check_ _nonnull_(1, 2);
/* Tells the kernel how the file is going to be read, by an advice of madvise(). At first that is from its begin to its end. */
void mapped_file__expect(const struct mapped_file *file, int advice) _nonnull_(1);
void mapped_file__release(struct mapped_file *file) _nonnull_(1);

#define _cleanup_mapped_file_ _cleanup_(mapped_file__release)

#endif
