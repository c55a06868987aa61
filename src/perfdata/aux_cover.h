/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PERF_RECORD_AUX for the pieces of trace that are in a file. Some decoders decode of a piece only what such
 * records cover, and begin anew between two records (that of cs_etm: tools/perf/util/cs-etm.c,
 * cs_etm__queue_aux_fragment()). A record counts only if all that it covers is in the piece. But the kernel's
 * records cover all that was ever written. So each of them is cut to what is in the piece, and a record of
 * our own covers the data whose record is lost:
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

/* A piece of one CPU's trace, of which the bytes [told, end) have no record yet. */
struct aux_cover_piece {
	int cpu;
	uint64_t id; /* of the event */
	uint64_t told, end;
	/*
	 * Number of bytes at the end that the kernel did not write: the record for those before them covers
	 * them, too.
	 */
	uint64_t tail;
};

struct aux_cover {
	struct aux_cover_piece *pieces; /* owned by the caller */
	unsigned int nr;
	uint64_t flags; /* the flags of the kernel's last record, for the format of our own ones */
	bool whole; /* one record of our own covers a piece, so that its decoder does not begin anew in it */
};

/*
 * Appends a record that takes the place of @record, a PERF_RECORD_AUX of the kernel for an event with
 * PERF_SAMPLE_TID, _TIME, _CPU and _IDENTIFIER; none if it covers nothing of a piece. The records of a CPU
 * must come in order.
 */
void aux_cover__replace(struct aux_cover *cover, const struct perf_event_header *record, struct buf *b)
	_nonnull_(1, 2, 3);

/* Appends records of our own for all that no record covers yet. */
void aux_cover__finish(struct aux_cover *cover, struct buf *b) _nonnull_(1, 2);

#endif
