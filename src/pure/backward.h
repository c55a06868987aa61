/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of a ring that the kernel writes backward (perf_event_attr.write_backward): from the head on they
 * are there newest first, each from its own header on, and the oldest may be overwritten in part.
 */
#ifndef AUXBPF_PURE_BACKWARD_H
#define AUXBPF_PURE_BACKWARD_H

#include <stdint.h>

#include "base/buf.h"

/* What backward__reverse() found in the records that it took. */
struct backward_stats {
	uint64_t nr_samples;
	uint64_t lost;	/* samples that the kernel had no room for, as its records tell */
	uint64_t first; /* time of the oldest record, 0: there is none */
};

/* How many bytes at the begin of @records, newest first, are records of events with @sample_type that came
 * after @until. */
size_t backward__newer(struct span records, uint64_t sample_type, uint64_t until);

/*
 * Appends to @to, oldest first, the whole records of @records, newest first, but for those from before
 * @since. The number of bytes appended; an error is the buffer's.
 */
size_t backward__reverse(struct span records, uint64_t sample_type, uint64_t since, struct buf *to,
			 struct backward_stats *stats) _nonnull_(4, 5);

#endif
