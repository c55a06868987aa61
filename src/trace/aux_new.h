/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds what is new in the AUX buffer of one CPU, which the trace unit overwrites without end, since the last
 * look at it.
 *
 * Where the head only grows (CoreSight's sinks) it tells how much was written. Intel PT's head is an offset
 * (arch/x86/events/intel/pt.c, pt_update_head()): it does not tell whether the writer came past its old place
 * again. Let old be the head at the last look, and R the bytes from the head on, around the end, up to old.
 * They are all older than the last look or, if the writer lapped, all newer, and it can be known which:
 *
 *	- the newest bytes of R, those in front of old, were saved at the last look: if they are others now,
 *	  the writer was there again. Before the first look they are zeros, as the kernel hands the buffer out;
 *	- if they are the same, the first sync point among R's newest bytes that has a time is later than the
 *	  last look, or not.
 *
 * This fails only if there is no sync point and the writer left the very same bytes; then [old, head), which
 * is new in any case, is taken and R is missed. Nothing old is ever taken for new.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_TRACE_AUX_NEW_H
#define AUXBPF_TRACE_AUX_NEW_H

#include "perfdata/aux_piece.h"
#include "trace/aux_sync.h"

#define AUX_REFERENCE_MAX 4096
/*
 * So far back from old a sync point is looked for while the trace is off: several times the distance between
 * two of them if nobody asks for another (16 KiB for intel_pt's psb_period=3).
 */
#define AUX_SEARCH_MAX (128u << 10)

/* The meaning of a PMU's aux_head. */
enum aux_head {
	AUX_HEAD_OFFSET, /* an offset in the buffer, without a count of laps */
	AUX_HEAD_COUNT,	 /* a count of all bytes ever written */
};

/* The position up to which the buffer was seen. aux_position__init() initialises it; the fields are for
 * reading only. */
struct aux_position {
	size_t size; /* of the buffer, a power of two */
	enum aux_head kind;
	aux_sync_fn next_sync;
	bool looked;	  /* at least once */
	uint64_t time;	  /* of the last look */
	uint64_t written; /* bytes that were certainly written until then; modulo size it was the head */
	uint8_t newest[AUX_REFERENCE_MAX]; /* the bytes in front of the head, at the end of this array */
};

/* Initialises @pos for a buffer of @size bytes (a power of two) that was just mapped and is not written
 * yet. */
void aux_position__init(struct aux_position *pos, size_t size, enum aux_head kind, aux_sync_fn next_sync)
	_nonnull_(1, 4);

/*
 * Finds what was written into @aux since the last look, and makes it the data of @ret, whose CPU and
 * reference are left as they are. @head is the mapping's aux_head, read while the event is disabled; the
 * event must stay so until the bytes are copied and aux_position__note() was called.
 */
void aux_new__find(const struct aux_position *pos, const uint8_t *aux, uint64_t head, struct aux_piece *ret)
	_nonnull_(1, 2, 4);

/*
 * Notes that everything up to the end of @seen, which aux_new__find() found, was looked at. Its reference is
 * on the clock of the sync points and was read while the event was disabled: what was written before is not
 * later, and what will be written is.
 */
void aux_position__note(struct aux_position *pos, const uint8_t *aux, const struct aux_piece *seen)
	_nonnull_(1, 2, 3);

/*
 * Drops what is in front of the last sync point not later than @since: the rest still decodes from before
 * @since on. If even the first sync point is later, drops what is in front of that: it does not decode from a
 * beginning of its own, and may be older than @since. Without any sync point nothing is left.
 */
void aux_new__cut(struct aux_piece *piece, aux_sync_fn next_sync, uint64_t since) _nonnull_(1, 2);

/*
 * Drops what is in front of the first sync point that is not earlier than @since and is behind all that are
 * earlier: all that is left is not earlier either.
 */
void aux_new__cut_all(struct aux_piece *piece, aux_sync_fn next_sync, uint64_t since) _nonnull_(1, 2);

#endif
