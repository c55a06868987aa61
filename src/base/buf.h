/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growable byte buffer, and a view of bytes that somebody else owns.
 *
 * Errors stick: after an allocation failed every further append does nothing, so a writer may append
 * a whole structure and look at buf__error() once at its end.
 */
#ifndef AUXBPF_BASE_BUF_H
#define AUXBPF_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* @len bytes at @data, owned by somebody else. An empty span may have a NULL @data. */
struct span {
	const void *data;
	size_t len;
};

/* Zero-initialised is empty and valid. */
struct buf {
	uint8_t *data;
	size_t len;
	size_t cap;
	int err;
};

/* Appends @len bytes of @data, or zeros if @data is NULL. */
void buf__add(struct buf *b, const void *data, size_t len) _nonnull_(1);
void buf__add_u32(struct buf *b, uint32_t val) _nonnull_(1);
void buf__add_u64(struct buf *b, uint64_t val) _nonnull_(1);

/* Appends the bytes and the error of @other. */
void buf__add_buf(struct buf *b, const struct buf *other) _nonnull_(1, 2);

/* Appends zeros until the length is a multiple of @align, a power of two. */
void buf__align(struct buf *b, size_t align) _nonnull_(1);

/* Overwrites @len bytes at @offset, which must have been appended before. */
void buf__put_at(struct buf *b, size_t offset, const void *data, size_t len) _nonnull_(1, 3);

/* Drops everything from @len on. */
void buf__truncate(struct buf *b, size_t len) _nonnull_(1);

/* Gives back unused memory if it is most of what the buffer has. */
void buf__shrink(struct buf *b) _nonnull_(1);

/*
 * Makes @err, a negative errno, the error of @b unless it has one already: for callers that build structures
 * in it.
 */
void buf__fail(struct buf *b, int err) _nonnull_(1);

/* Returns 0 or the first error: -ENOMEM of an append, or what buf__fail() was told. */
int buf__error(const struct buf *b) _must_check_ _nonnull_(1);

struct span buf__span(const struct buf *b) _nonnull_(1);

/* Releases the memory; @b is empty and valid again. */
void buf__release(struct buf *b) _nonnull_(1);

#define _cleanup_buf_ _cleanup_(buf__release)

#endif
