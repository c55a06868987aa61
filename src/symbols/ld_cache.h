/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /etc/ld.so.cache: which libraries there are and where, in the form that glibc has written since 2.2
 * (sysdeps/generic/dl-cache.h, struct cache_file_new), in the byte order of this machine.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_SYMBOLS_LD_CACHE_H
#define AUXBPF_SYMBOLS_LD_CACHE_H

#include <stdbool.h>

#include "base/buf.h"

struct ld_cache_entry {
	const char *soname; /* libc.so.6 */
	const char *path;
};

/*
 * The part of the file @file that is in this form, for ld_cache__next(): what is in front need not be passed each
 * time.
 */
struct span ld_cache__begin(struct span file);

/* The entry *@i of the file @cache; *@i moves behind it. False at the end, or if it is of another form. */
bool ld_cache__next(struct span cache, size_t *i, struct ld_cache_entry *ret) _must_check_ _nonnull_(2, 3);

#endif
