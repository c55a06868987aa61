/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PERF_RECORD_AUX for the pieces of trace that are in a file. Some decoders (that of cs_etm:
 * tools/perf/util/cs-etm.c, cs_etm__queue_aux_fragment()) take of a piece only what such a record tells of, and
 * that only if all of it is in the piece; between two records they begin anew. The kernel's records tell of all
 * that was ever written. So of each what is in the piece is told, and what no record is left of is told by one of
 * our own:
 *
 *	kernel   |-- 1 --|----- 2 -----|---- 3 ----|-- 4
 *	piece         [ . . . . . . . . . . . . . )
 *	if the first two are not there any more:
 *	told           |-- own --------|--- 3 -----|
 */
#ifndef AUXBPF_PERFDATA_AUX_COVER_H
#define AUXBPF_PERFDATA_AUX_COVER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* One CPU's bytes [told, end) have no record yet. */
struct aux_cover_piece {
	int cpu;
	uint64_t id; /* of the event */
	uint64_t told, end;
	/* So many of the last are not the kernel's: what tells of those in front tells of them. */
	uint64_t tail;
};

struct aux_cover {
	struct aux_cover_piece *pieces; /* the caller's */
	unsigned int nr;
	uint64_t flags; /* of records of our own: the format is that of the last one of the kernel's */
	bool whole; /* a piece is told of by one record, our own: its decoder is not to begin anew in it */
};

/*
 * Appends what takes the place of @record, a PERF_RECORD_AUX of the kernel's, of events with
 * PERF_SAMPLE_TID, _TIME, _CPU and _IDENTIFIER. Those of a CPU come in order.
 */
void aux_cover__replace(struct aux_cover *cover, const struct perf_event_header *record, struct buf *b)
	_nonnull_(1, 2, 3);

/* Appends records of what was told by none. */
void aux_cover__finish(struct aux_cover *cover, struct buf *b) _nonnull_(1, 2);

#endif
