/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sync points: the places in the bytes of a trace where a decoder can begin. Each trace PMU has its own
 * function that finds them; the parts that cut traces or compare their ages know only this interface.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_TRACE_AUX_SYNC_H
#define AUXBPF_TRACE_AUX_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

struct aux_sync {
	size_t at;     /* offset of its first byte */
	uint64_t time; /* when it was written, in ticks of the trace's clock: see aux_time__later() */
	bool has_time; /* false in a trace without time stamps, and if the sync point is cut off */
};

/*
 * Finds the first sync point at or behind offset *@at of two spans, of which the second goes on where the
 * first ends. Moves *@at to where the search for the next one must begin. False if there is none.
 */
typedef bool (*aux_sync_fn)(const struct span data[2], size_t *at, struct aux_sync *ret);

/*
 * Returns how many bytes of @data there are up to the end of its last whole packet: the last one may be cut
 * off where a buffer was full. Returns all without a sync point, which tells where packets begin.
 */
typedef size_t (*aux_whole_fn)(const struct span data[2]);

/*
 * Makes the bytes that a decoder must read before @data, at the begin of which is a sync point, if trace is
 * missing in front of it and the decoder knows what was before that gap. Writes them to @mark and returns how
 * many they are; 0 if @data ends before that is known.
 */
#define AUX_MARK_MAX 16
typedef size_t (*aux_gap_fn)(const struct span data[2], uint8_t mark[AUX_MARK_MAX]);

/*
 * The state of a decoder at the end of a piece of trace that it needs behind it. Zero-initialised: it is not
 * known.
 */
struct aux_resume {
	bool known;
	uint64_t last_ip;
	uint8_t status[4][8]; /* packets that tell the state, the newest of each kind */
	uint8_t status_len[4];
};

/* Follows the state through @data, which continues the data before or, if the state is not known, begins
 * anywhere. */
typedef void (*aux_follow_fn)(struct aux_resume *state, struct span data);

/*
 * Appends to @out what makes @data, which begins where @state was known, decode on its own. What this takes
 * from the begin of @data is removed there. @time is a moment at which the trace was stopped there. 0 or
 * -ENOMEM.
 */
typedef int (*aux_lead_in_fn)(const struct aux_resume *state, uint64_t time, struct span *data,
			      struct buf *out);

/*
 * Tells whether @a is later than @b. One or both may have lost their bits from 56 on: a TSC packet has 56
 * bits (Intel SDM vol. 3, Intel Processor Trace, "Timestamp Counter (TSC) Packet"), and Arm's generic timer
 * has at least as many. The two must be less than 2^55 ticks apart, which is months at 4 GHz.
 */
static inline bool aux_time__later(uint64_t a, uint64_t b)
{
	return (int64_t)((a - b) << 8) > 0;
}

#endif
