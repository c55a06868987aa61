/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in what ran on a CPU a piece of decoded branches lies.
 */
#ifndef ORACLE_STRETCH_H
#define ORACLE_STRETCH_H

#include <stdbool.h>

#include "branch_pair.h"
#include "traced_stream.h"

/* Decoded branches of one CPU, not none. */
struct piece {
	const struct decoded_branch *dec;
	uint64_t nr;
};

/* Places in a stream: from @first to before @end. */
struct stretch {
	uint64_t first;
	uint64_t end;
};

/*
 * The first stretch that begins at or behind @from, ends at or behind @end, and is the piece, branch by
 * branch. Where the beginning of a trace is overwritten, a decoder begins at a sync point (PSB), for which
 * perf shows nothing if it has an address (seen with 7.3; intel_pt_sync()), or else 0 -> ADDRESS
 * (intel_pt_sync_ip()): that is no branch, but ADDRESS is on the way, without a taken branch, from the
 * target of the branch before to the next one. 0 -> ADDRESS may also be where the trace began. Takes time
 * linear in the stream and in the piece.
 */
bool stretch__find(const struct record_list *s, struct piece piece, uint64_t from, uint64_t end,
		   struct stretch *ret) _must_check_ _nonnull_(1, 5);

/*
 * For a piece that is nowhere: puts side by side what is most like it, by a few branches in a row that
 * are in both and the longest agreement from there, and the place of a difference. False if nothing is.
 */
bool stretch__nearest(const struct record_list *s, struct piece piece, struct branch_pair *ret,
		      uint64_t *at) _must_check_ _nonnull_(1, 3, 4);

#endif
