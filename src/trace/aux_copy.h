/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies what is new in an AUX buffer while the trace unit already writes on, so that the trace is off for
 * the time of a small part of the copy and not for all of it.
 *
 * The writer goes on at the newest byte's end, around the buffer, and comes to the oldest bytes first: these
 * are copied first, and then it is a race. That the writer did not win is proven piece by piece: after a
 * piece was copied, what is in front of it, from the last sync point with a time on, is compared with its
 * copy. Had the writer come to the piece it would have been there, and no time comes twice. Where there are
 * no such sync points, all is copied before the trace goes on.
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
 * What is copied before the writer goes on, and how far back a sync point is looked for: several times the
 * distance that intel_pt's have if nobody asks for another (16 KiB).
 */
#define AUX_COPY_GUARD (64u << 10)

/* Fields are for reading only. */
struct aux_copy {
	const struct aux_position *pos;
	const uint8_t *aux;
	struct span data[2]; /* what is to be copied, oldest first */
	uint8_t *to;
	size_t len;   /* of it */
	size_t done;  /* of that, copied */
	size_t piece; /* where the last piece begins */
	size_t lost;  /* bytes at the begin that the writer took back, or that are in front of such */
};

/*
 * @found is what aux_new__find() found in @aux, and aux_position__note() has noted it in @pos; both outlive
 * the copy. @to has room for it.
 */
void aux_copy__begin(struct aux_copy *copy, const struct aux_position *pos, const uint8_t *aux,
		     const struct aux_new *found, uint8_t *to) _nonnull_(1, 2, 3, 4, 5);

bool aux_copy__is_done(const struct aux_copy *copy) _nonnull_(1);

/* Copies the next piece. False if it cannot be told that the writer was not there before. */
bool aux_copy__step(struct aux_copy *copy) _must_check_ _nonnull_(1);

/* Copies the rest. @head is the mapping's aux_head, as for aux_new__find(). */
void aux_copy__finish(struct aux_copy *copy, uint64_t head) _nonnull_(1);

/* What was copied; complete at its end. */
struct span aux_copy__data(const struct aux_copy *copy) _nonnull_(1);

#endif
