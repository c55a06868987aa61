/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of a ring that the kernel writes backward (perf_event_attr.write_backward): from the head on they
 * are there newest first, each from its own header on, and the oldest may be overwritten in part.
 */
#ifndef AUXBPF_PERFDATA_BACKWARD_H
#define AUXBPF_PERFDATA_BACKWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* What backward__reverse() found in the records that it took. */
struct backward_stats {
	uint64_t nr_samples;
	uint64_t lost;	/* samples that the kernel had no room for, as its records tell */
	uint64_t first; /* time of the oldest record, 0: there is none */
	size_t seen;	/* bytes that were looked at, those that the filter left out included */
};

/* Which samples to take: of each sample its process, the id of its event and its time are asked. */
struct backward_filter {
	bool (*takes)(const void *ctx, uint32_t pid, uint64_t id, uint64_t time);
	const void *ctx;
};

/* How many bytes at the begin of @records, newest first, are records of events with @sample_type that came
 * after @until. */
size_t backward__newer(struct span records, uint64_t sample_type, uint64_t until);

/*
 * Appends to @to, oldest first, the whole records of @records, newest first, but for those from before
 * @since and samples that @filter (NULL: none) leaves out; @sample_type has PERF_SAMPLE_IDENTIFIER. The
 * number of bytes appended; an error is the buffer's.
 */
size_t backward__reverse(struct span records, uint64_t sample_type, uint64_t since,
			 const struct backward_filter *filter, struct buf *to, struct backward_stats *stats)
	_nonnull_(5, 6);

#endif
