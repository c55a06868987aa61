/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses the copied samples that go into the file: whole ones, oldest first, none of them too old or from
 * outside of windows.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_SAMPLES_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_SAMPLES_H

#include <stdint.h>

#include "base/cleanup.h"
#include "snapshot/snapshot_job.h"

/*
 * To be called once for a job, when its samples, those of @set, are still as they were in the rings;
 * @lookback is in ns, 0: none is too old. With job->moves, tracepoints' samples from outside of windows are
 * left out. All samples of this process and its helpers (own_processes.h) are left out but those of
 * tracepoints. Also notes in job->gaps what is left. 0 or -ENOMEM.
 */
int snapshot_samples__sort(struct snapshot_job *job, const struct sample_set *set,
			   uint64_t lookback) _must_check_ _nonnull_(1, 2);

#endif
