/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies what is new in an AUX buffer while the trace unit already writes on, so that the trace is off for
 * the time of a small part of the copy and not for all of it.
 *
 * The writer goes on where the newest byte ends, around the buffer, and comes to the oldest bytes first.
 * These are copied first, and then it is a race. Piece by piece it is proven that the writer did not win:
 * after a piece was copied, the bytes in front of it, from the last sync point with a time on, are compared
 * with their copy. If the writer had come to the piece, it would have overwritten these, and no time comes
 * twice. If there are no such sync points, all is copied before the trace goes on.
 *
 *	aux_copy__begin()	the writer stands still
 *	[the writer goes on]
 *	aux_copy__step() ...	until aux_copy__is_done(), or false: the race may be lost
 *	[the writer stands still again]
 *	aux_copy__finish()	the rest; what was overwritten, and all before it, is not in the copy
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_TRACE_AUX_COPY_H
#define AUXBPF_TRACE_AUX_COPY_H

#include "trace/aux_new.h"

/*
 * So much is copied before the writer goes on, and so far back a sync point is looked for: several times the
 * distance between those of intel_pt if nobody asks for another (16 KiB).
 */
#define AUX_COPY_GUARD (64u << 10)

/* The fields are for reading only. */
struct aux_copy {
	const struct aux_position *pos;
	const uint8_t *aux;
	struct aux_piece from; /* what is copied */
	uint8_t *to;
	size_t done;  /* bytes that were copied */
	size_t piece; /* where the last piece begins */
	size_t lost;  /* bytes at the begin that were overwritten, or are in front of such bytes */
};

/*
 * Begins the copy. @found is what aux_new__find() found in @aux, and aux_position__note() has noted it in
 * @pos; both outlive the copy. @to has room for it.
 */
void aux_copy__begin(struct aux_copy *copy, const struct aux_position *pos, const uint8_t *aux,
		     const struct aux_piece *found, uint8_t *to) _nonnull_(1, 2, 3, 4, 5);

bool aux_copy__is_done(const struct aux_copy *copy) _nonnull_(1);

/* Copies the next piece. False if the writer may have been there before. */
bool aux_copy__step(struct aux_copy *copy) _must_check_ _nonnull_(1);

/* Copies the rest. @head is the mapping's aux_head, as for aux_new__find(). */
void aux_copy__finish(struct aux_copy *copy, uint64_t head) _nonnull_(1);

/* Returns the piece as it was copied. Its begin may be missing, its end never is. */
struct aux_piece aux_copy__piece(const struct aux_copy *copy) _nonnull_(1);

#endif
