/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of a ring that the kernel writes backward (perf_event_attr.write_backward). From the head on they
 * are there newest first, each beginning with its header, and the oldest may be overwritten in part.
 */
#ifndef AUXBPF_PERFDATA_BACKWARD_H
#define AUXBPF_PERFDATA_BACKWARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Counts of the records that backward__reverse() took. */
struct backward_stats {
	uint64_t nr_samples;
	uint64_t lost;	/* samples for which the kernel had no room, as its records tell */
	uint64_t first; /* time of the oldest record that was taken, 0: there is none */
	size_t seen;	/* bytes of all records since then, with those that the filter left out */
};

/* Decides by a sample's process, its event's id and its time whether the sample is taken. */
struct backward_filter {
	bool (*takes)(const void *ctx, uint32_t pid, uint64_t id, uint64_t time);
	const void *ctx;
};

/*
 * Returns how many bytes at the begin of @records, which are newest first, are records that came after
 * @until. They are of events with @sample_type.
 */
size_t backward__newer(struct span records, uint64_t sample_type, uint64_t until);

/*
 * Appends the whole records of @records, which are newest first, to @to, oldest first. Records from before
 * @since and samples that @filter (NULL: none) rejects are left out. @sample_type has PERF_SAMPLE_IDENTIFIER.
 * Returns the number of bytes appended; an error is the buffer's.
 */
size_t backward__reverse(struct span records, uint64_t sample_type, uint64_t since,
			 const struct backward_filter *filter, struct buf *to, struct backward_stats *stats)
	_nonnull_(5, 6);

#endif
