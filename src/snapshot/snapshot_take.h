/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The moment of a snapshot: the CPUs that are frozen for it are stopped, what is new in their buffers is
 * copied, and they go on as soon as the oldest part is copied. The rest is copied while they write
 * (trace/aux_copy.h), one piece of each CPU in turn, by several threads if there are many CPUs.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_TAKE_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_TAKE_H

#include "base/cleanup.h"
#include "gate/gate.h"
#include "snapshot/snapshot_job.h"

struct snapshot_take;

/*
 * Starts the threads that copy; @cpus and @gate must outlive it. @together: the trace can be copied only
 * while all CPUs are stopped (shared_buffer of trace_pmu.h); then CPUs that are frozen for another snapshot
 * are stopped too, and stay frozen. Logs; 0 or a negative errno.
 */
int snapshot_take__new(struct cpu_trace *cpus, size_t nr_cpus, struct gate *gate, bool together,
		       struct snapshot_take **ret) _must_check_ _nonnull_(1, 3, 5);
void snapshot_take__free(struct snapshot_take *take);

DEFINE_CLEANUP(snapshot_take, struct snapshot_take *, snapshot_take__free)

/* Freezes the CPUs that the BPF programs did not freeze, unless they are frozen for another snapshot. */
void snapshot_take__freeze_all(struct snapshot_take *take, uint32_t ticket) _nonnull_(1);

/* Lets all CPUs go on that are frozen with this ticket. */
void snapshot_take__thaw(struct snapshot_take *take, uint32_t ticket) _nonnull_(1);

/*
 * Copies into @job what is new on the CPUs that are frozen with the ticket of its trigger, and lets them go
 * on.
 */
void snapshot_take__copy(struct snapshot_take *take, struct snapshot_job *job) _nonnull_(1, 2);

#endif
