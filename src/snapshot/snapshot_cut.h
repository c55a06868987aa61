/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cuts the copied trace so that it decodes from its first byte, within --lookback. Keeps, from one snapshot
 * of a CPU to the next, what decoding the next one needs.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_CUT_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_CUT_H

#include <stdint.h>

#include "base/cleanup.h"
#include "snapshot/snapshot_job.h"
#include "trace/trace_pmu.h"

struct snapshot_cut;

/*
 * Makes a cutter for snapshots of @nr CPUs; @lookback is in ns, 0: no trace is too old. @timed: the trace of
 * each CPU has times of the kernel's clock (has_kernel_clock of trace_pmu.h); otherwise it is unknown how old
 * it is, and no old trace is cut. 0 or -ENOMEM.
 */
int snapshot_cut__new(const struct trace_pmu_ops *ops, size_t nr, bool timed, uint64_t lookback,
		      struct snapshot_cut **ret) _must_check_ _nonnull_(1, 5);
void snapshot_cut__free(struct snapshot_cut *cut);

DEFINE_CLEANUP(snapshot_cut, struct snapshot_cut *, snapshot_cut__free)

/* Returns the first of the @nr @cpus whose trace has no times of the kernel's clock, or -1. */
int snapshot_cut__untimed_cpu(const struct trace_pmu *pmu, const struct cpu_trace *cpus, size_t nr)
	_nonnull_(1, 2);

/*
 * Cuts the trace of @job, and notes in job->gaps what time is left. To be called for all snapshots in the
 * order in which they were taken. 0 or -ENOMEM.
 */
int snapshot_cut__apply(struct snapshot_cut *cut, struct snapshot_job *job) _must_check_ _nonnull_(1, 2);

#endif
