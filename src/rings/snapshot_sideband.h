/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sideband for snapshots: one thread adds records as they come, another takes those that belong to a
 * snapshot. However long that goes on, only the state of living tasks is kept, and records as old as trace
 * that may still come into a snapshot.
 */
#ifndef AUXBPF_RINGS_SNAPSHOT_SIDEBAND_H
#define AUXBPF_RINGS_SNAPSHOT_SIDEBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sideband/sideband_log.h"

struct snapshot_sideband;

/* Bytes of records that are kept of a CPU in any case. */
#define SNAPSHOT_SIDEBAND_LEAST (1u << 20)

/*
 * Keeps of each of @nr CPUs at most @max bytes of records, or SNAPSHOT_SIDEBAND_LEAST if that is more; @tasks
 * are records of the living tasks, @max_maps is as in sideband_log__new(). 0 or -ENOMEM.
 */
int snapshot_sideband__new(unsigned int nr, size_t max, size_t max_maps, struct span tasks,
			   struct snapshot_sideband **ret) _must_check_ _nonnull_(5);
void snapshot_sideband__free(struct snapshot_sideband *ss);

DEFINE_CLEANUP(snapshot_sideband, struct snapshot_sideband *, snapshot_sideband__free)

/*
 * Takes whole records of the CPU number @i; with @idle, nothing was traced on that CPU while they came.
 * Records beyond the limit stay until snapshot_sideband__limit(). 0 or a negative errno.
 */
int snapshot_sideband__add(struct snapshot_sideband *ss, unsigned int i, struct span records,
			   bool idle) _must_check_ _nonnull_(1);

/* Tells whether a CPU has more records than its limit and no snapshot needs them. */
bool snapshot_sideband__is_full(struct snapshot_sideband *ss) _nonnull_(1);

/*
 * Drops the oldest records of CPUs that have more than their limit. @until, in perf's time, is from before
 * the rings of all CPUs were drained and their records were added. 0 or -ENOMEM.
 */
int snapshot_sideband__limit(struct snapshot_sideband *ss, uint64_t until) _must_check_ _nonnull_(1);

/*
 * These are to be called when records of any CPU were lost: the first as sideband_log__begin_refresh(), then
 * one of the others, as sideband_log__refresh() or sideband_log__give_up_refresh().
 */
void snapshot_sideband__begin_refresh(struct snapshot_sideband *ss, uint64_t time) _nonnull_(1);
void snapshot_sideband__give_up_refresh(struct snapshot_sideband *ss) _nonnull_(1);
int snapshot_sideband__refresh(struct snapshot_sideband *ss, const struct task_table *living,
			       struct span programs) _must_check_ _nonnull_(1, 2);

/*
 * Returns the moment, in perf's time, from which on it is known who ran; 0: from the start. That stays so
 * until the next call of snapshot_sideband__copy().
 */
uint64_t snapshot_sideband__pin(struct snapshot_sideband *ss) _nonnull_(1);

/*
 * Copies what was known at @until, with single records from @from on. The caller owns the copy. 0 or -ENOMEM.
 */
int snapshot_sideband__copy(struct snapshot_sideband *ss, uint64_t from, uint64_t until,
			    struct sideband_log **ret) _must_check_ _nonnull_(1, 4);

/* Sums up the records from before @before, as no snapshot will have trace that is older. 0 or -ENOMEM. */
int snapshot_sideband__forget(struct snapshot_sideband *ss, uint64_t before) _must_check_ _nonnull_(1);

/* Warns how many mappings were left out because processes have too many, if any were. */
void snapshot_sideband__log(struct snapshot_sideband *ss) _nonnull_(1);

/* Returns a moment in perf's time: no snapshot that is still to be written will have trace that is older. */
uint64_t snapshot_sideband__forgotten(struct snapshot_sideband *ss) _nonnull_(1);

#endif
