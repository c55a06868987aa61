/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sideband that snapshots are made with: one thread adds what comes, another takes what belongs to a
 * snapshot. However long that goes on, what is kept is what lives, and what is as old as trace that may still
 * come into a snapshot.
 */
#ifndef AUXBPF_RINGS_SNAPSHOT_SIDEBAND_H
#define AUXBPF_RINGS_SNAPSHOT_SIDEBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sideband/sideband_log.h"

struct snapshot_sideband;

/* Bytes of records of a CPU that are kept in any case. */
#define SNAPSHOT_SIDEBAND_LEAST (1u << 20)

/*
 * For @nr CPUs, each with at most @max bytes of records that may be of use, or the least; @tasks
 * are records of those that live. @max_maps as in sideband_log__new(). 0 or -ENOMEM.
 */
int snapshot_sideband__new(unsigned int nr, size_t max, size_t max_maps, struct span tasks,
			   struct snapshot_sideband **ret) _must_check_ _nonnull_(5);
void snapshot_sideband__free(struct snapshot_sideband *ss);

DEFINE_CLEANUP(snapshot_sideband, struct snapshot_sideband *, snapshot_sideband__free)

/*
 * Takes whole records of the CPU number @i; with @idle, there was no trace in it while they came. What is too
 * much stays until snapshot_sideband__limit(). 0 or a negative errno.
 */
int snapshot_sideband__add(struct snapshot_sideband *ss, unsigned int i, struct span records,
			   bool idle) _must_check_ _nonnull_(1);

/* Whether a CPU has more than its limit, and no snapshot needs that. */
bool snapshot_sideband__is_full(struct snapshot_sideband *ss) _nonnull_(1);

/*
 * Drops the oldest then. @until, in perf's time, is of before the rings of all CPUs were drained, and what they
 * had was added. 0 or -ENOMEM.
 */
int snapshot_sideband__limit(struct snapshot_sideband *ss, uint64_t until) _must_check_ _nonnull_(1);

/*
 * When records of any CPU were lost: as sideband_log__begin_refresh(), and then sideband_log__refresh() or
 * sideband_log__give_up_refresh().
 */
void snapshot_sideband__begin_refresh(struct snapshot_sideband *ss, uint64_t time) _nonnull_(1);
void snapshot_sideband__give_up_refresh(struct snapshot_sideband *ss) _nonnull_(1);
int snapshot_sideband__refresh(struct snapshot_sideband *ss, const struct task_table *living,
			       struct span programs) _must_check_ _nonnull_(1, 2);

/*
 * From when on it is known who ran, in perf's time; 0: since the start. That stays so until the next call of
 * snapshot_sideband__copy().
 */
uint64_t snapshot_sideband__pin(struct snapshot_sideband *ss) _nonnull_(1);

/* What was known at @until, from @from on one by one: the caller's. 0 or -ENOMEM. */
int snapshot_sideband__copy(struct snapshot_sideband *ss, uint64_t from, uint64_t until,
			    struct sideband_log **ret) _must_check_ _nonnull_(1, 4);

/* No snapshot will have trace that is older than @before. 0 or -ENOMEM. */
int snapshot_sideband__forget(struct snapshot_sideband *ss, uint64_t before) _must_check_ _nonnull_(1);

/* Says as a warning how many mappings were left out because processes have too many, if any. */
void snapshot_sideband__log(struct snapshot_sideband *ss) _nonnull_(1);

/* No snapshot that is still to be written will have trace that is older than that, in perf's time. */
uint64_t snapshot_sideband__forgotten(struct snapshot_sideband *ss) _nonnull_(1);

#endif
