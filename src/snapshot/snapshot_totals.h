/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording has so far, all snapshots together, and how that is said: of each snapshot when it is a
 * file, and of all of them at the end.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_TOTALS_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_TOTALS_H

#include "base/cleanup.h"
#include "snapshot/snapshot_job.h"

struct capture_opts;

/* The writer's thread adds, any thread may read the first two. */
struct snapshot_totals {
	uint64_t nr;		 /* that are files */
	uint64_t bytes;		 /* of trace and samples in them */
	uint64_t gaps;		 /* in their trace */
	uint64_t overwritten;	 /* bytes of their trace, before they were copied ... */
	uint64_t nr_overwritten; /* ... in so many of them */
};

/* There is one more, with trace or samples in it. */
void snapshot_totals__add(struct snapshot_totals *totals, const struct snapshot_job *job) _nonnull_(1, 2);

/* Says what is in the file of @job, which was taken because of @rule. */
void snapshot_totals__log_one(const struct capture_opts *opts, const struct snapshot_job *job,
			      uint64_t aux_bytes, const char *rule) _nonnull_(1, 2, 4);

/* Says of all of them, in the directory @dir, how many there are, of so many triggers, and what they lack. */
void snapshot_totals__log(const struct snapshot_totals *totals, const char *dir, uint64_t seen,
			  uint64_t missed) _nonnull_(1, 2);

#endif
