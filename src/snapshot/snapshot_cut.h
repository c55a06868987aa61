/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of the copied trace goes into the file: made decodable from its first byte on, and nothing that is too
 * old. Keeps, from one snapshot of a CPU to the next, what decoding the next needs.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_CUT_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_CUT_H

#include <stdint.h>

#include "base/cleanup.h"
#include "trace/trace_pmu.h"
#include "snapshot/snapshot_job.h"

struct snapshot_cut;

/*
 * For snapshots of @nr CPUs; @lookback in ns, 0: nothing is too old. @timed: the times of the trace of each CPU are
 * of the kernel's clock (has_kernel_clock of trace_pmu.h); else nobody knows what is old, and nothing is cut. 0 or
 * -ENOMEM.
 */
int snapshot_cut__new(const struct trace_pmu_ops *ops, size_t nr, bool timed, uint64_t lookback,
		      struct snapshot_cut **ret) _must_check_ _nonnull_(1, 5);
void snapshot_cut__free(struct snapshot_cut *cut);

DEFINE_CLEANUP(snapshot_cut, struct snapshot_cut *, snapshot_cut__free)

/* The first of the @nr @cpus of which that is not so, or -1. */
int snapshot_cut__untimed_cpu(const struct trace_pmu *pmu, const struct cpu_trace *cpus, size_t nr)
	_nonnull_(1, 2);

/*
 * To be called for all snapshots in the order in which they were taken. Also notes in job->gaps what time is
 * left. 0 or -ENOMEM.
 */
int snapshot_cut__apply(struct snapshot_cut *cut, struct snapshot_job *job) _must_check_ _nonnull_(1, 2);

#endif
