/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sums over all snapshots of a recording so far, and the log messages about them: on each snapshot when
 * it is a file, and on all of them at the end.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_TOTALS_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_TOTALS_H

#include "base/cleanup.h"
#include "snapshot/snapshot_job.h"

struct capture_opts;

/* The writer's thread adds; any thread may read @nr and @bytes. */
struct snapshot_totals {
	uint64_t nr;		 /* snapshots that are files */
	uint64_t bytes;		 /* of trace and samples in them */
	uint64_t gaps;		 /* in their trace */
	uint64_t overwritten;	 /* bytes of their trace that were overwritten before they were copied */
	uint64_t nr_overwritten; /* snapshots with such bytes */
};

/* Adds a snapshot with trace or samples. */
void snapshot_totals__add(struct snapshot_totals *totals, const struct snapshot_job *job) _nonnull_(1, 2);

/* Logs what is in the file of @job, which was taken because of @rule. */
void snapshot_totals__log_one(const struct capture_opts *opts, const struct snapshot_job *job,
			      uint64_t aux_bytes, const char *rule) _nonnull_(1, 2, 4);

/* Logs how many snapshots there are in the directory @dir, of how many triggers, and what they lack. */
void snapshot_totals__log(const struct snapshot_totals *totals, const char *dir, uint64_t seen,
			  uint64_t missed) _nonnull_(1, 2);

#endif
