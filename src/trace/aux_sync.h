/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sync points: the places in the bytes of a trace where a decoder can begin. Each trace PMU has its own
 * finder; who cuts traces or compares their ages knows only this.
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
	uint64_t time; /* when it was written, in ticks of the trace's clock, to compare with
			  aux_time__later() */
	bool has_time; /* a trace without time stamps has none, nor has a sync point that is cut off */
};

/*
 * Finds the first sync point at or behind offset *@at of two spans of which the second goes on where the
 * first ends, and moves *@at to where the search for the next one is to begin. False if there is none.
 */
typedef bool (*aux_sync_fn)(const struct span data[2], size_t *at, struct aux_sync *ret);

/*
 * How many bytes of @data there are up to the end of its last whole packet: the last one may be cut off where
 * a buffer was full. All of them without a sync point, which tells where packets begin.
 */
typedef size_t (*aux_whole_fn)(const struct span data[2]);

/*
 * What a decoder that knows what was before a gap is to read first when it goes on with @data, at the begin of
 * which is a sync point: some bytes for @mark, and how many they are. 0 if @data ends before that is known.
 */
#define AUX_MARK_MAX 16
typedef size_t (*aux_gap_fn)(const struct span data[2], uint8_t mark[AUX_MARK_MAX]);

/*
 * What a decoder knows at the end of a piece of trace that it needs behind it. Zero-initialised: nothing is
 * known.
 */
struct aux_resume {
	bool known;
	uint64_t last_ip;
	uint8_t status[4][8]; /* packets that tell the state, the newest of each kind */
	uint8_t status_len[4];
};

/* Goes on with @data, which follows what it was told before, or, if that is not known, begins anywhere. */
typedef void (*aux_follow_fn)(struct aux_resume *state, struct span data);

/*
 * Appends to @out what makes @data, which begins where @state was known, decode on its own, and takes from
 * the begin of @data what is in @out then. @time is a moment at which the trace was stopped there. 0 or
 * -ENOMEM.
 */
typedef int (*aux_lead_in_fn)(const struct aux_resume *state, uint64_t time, struct span *data,
			      struct buf *out);

/*
 * Whether @a is later than @b, of which one or both may have lost their bits from 56 on: a TSC packet has 56
 * bits (Intel SDM vol. 3, Intel Processor Trace, "Timestamp Counter (TSC) Packet"), and Arm's generic timer
 * has at least as many. The two must be less than 2^55 ticks apart, which is months at 4 GHz.
 */
static inline bool aux_time__later(uint64_t a, uint64_t b)
{
	return (int64_t)((a - b) << 8) > 0;
}

#endif
