/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads /etc/ld.so.cache, the list of libraries and their paths, in the form that glibc has written since 2.2
 * (sysdeps/generic/dl-cache.h, struct cache_file_new) and in the byte order of this machine.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_SYMBOLS_LD_CACHE_H
#define AUXBPF_SYMBOLS_LD_CACHE_H

#include <stdbool.h>

#include "base/buf.h"

struct ld_cache_entry {
	const char *soname; /* "libc.so.6" */
	const char *path;
};

/* Returns the part of @file that is in this form, so that ld_cache__next() need not look for it each time. */
struct span ld_cache__begin(struct span file);

/* Reads the entry *@i of @cache and moves *@i behind it. False at the end, or if the entry is of another
 * form. */
bool ld_cache__next(struct span cache, size_t *i, struct ld_cache_entry *ret) _must_check_ _nonnull_(2, 3);

#endif
