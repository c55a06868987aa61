/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of the copied samples goes into the file: whole ones, oldest first, and none that is too old.
 */
#ifndef AUXBPF_SESSION_SNAPSHOT_SAMPLES_H
#define AUXBPF_SESSION_SNAPSHOT_SAMPLES_H

#include <stdint.h>

#include "base/cleanup.h"
#include "session/snapshot_job.h"

/*
 * To be called once for a job, when its samples are as they were in the rings; @lookback in ns, 0: none is
 * too old. Also notes in job->gaps what is left. 0 or -ENOMEM.
 */
int snapshot_samples__sort(struct snapshot_job *job, uint64_t lookback) _must_check_ _nonnull_(1);

#endif
