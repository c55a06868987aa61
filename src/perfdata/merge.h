/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merges the sideband of several CPUs into one stream in order of time.
 *
 * A reader of perf.data sorts records only within a few "rounds" (perf's ordered_events), so it would have to
 * hold whole rings in memory if they came one after the other. Here the rings are merged by the time of their
 * next record; records of one ring keep their order. A FINISHED_ROUND follows every few thousand records. It
 * leaves the reader the slack of one round for the rare ring whose own order is off by an NMI.
 */
#ifndef AUXBPF_PERFDATA_MERGE_H
#define AUXBPF_PERFDATA_MERGE_H

#include <stdint.h>

#include "base/buf.h"

struct merge_sink {
	/* Takes whole records. Returns 0, or a negative errno that ends the merge. */
	int (*add)(void *ctx, struct span records);
	void *ctx;
};

/* @first and @last are the first and last time seen, 0 if no record had one. */
struct merge_stats {
	uint64_t first;
	uint64_t last;
	uint64_t nr_records;
	uint64_t bad_bytes; /* left out: the rest of each ring from something on that is no record */
};

/* All rings are of events with @sample_type. Returns 0, the sink's error or -ENOMEM. */
int merge__rings(const struct span *rings, unsigned int nr, uint64_t sample_type,
		 const struct merge_sink *sink, struct merge_stats *stats) _must_check_ _nonnull_(4, 5);

#endif
