/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPUs that a session traces, which are those of -C or all that are online, and their events.
 */
#ifndef AUXBPF_SESSION_TRACED_CPUS_H
#define AUXBPF_SESSION_TRACED_CPUS_H

#include <stddef.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "capture/capture_opts.h"
#include "rules/target_set.h"
#include "trace/cpu_trace.h"

/*
 * Writes to @cpus the numbers of the CPUs to trace, in order, and after them those of the other CPUs that are
 * online; @nr_all of both. It is an error if there are more than @max, or if a CPU that the targets name is
 * not online. Logs; returns how many are traced, or a negative errno. @root is that of sysfs.
 */
int traced_cpus__choose(const char *root, const struct target_set *targets, int *cpus, size_t max,
			size_t *nr_all) _must_check_ _nonnull_(1, 2, 3, 5);

/*
 * Opens the events of all CPUs; those of the sideband run from then on, also on the CPUs that are not traced,
 * as tasks may come from these to the traced ones. @control gets how the gates will be moved. Raises the limit
 * of open files. Logs; 0 or a negative errno; call traced_cpus__release() in any case.
 */
int traced_cpus__open(const struct capture_opts *opts, enum auxbpf_control *control,
		      struct cpu_traces *ret) _must_check_ _nonnull_(1, 2, 3);

/* Begins the trace of a CPU, paused if a gate opens it. Logs; 0 or a negative errno. */
int traced_cpus__enable(struct cpu_trace *cpu) _must_check_ _nonnull_(1);

void traced_cpus__release(struct cpu_traces *t) _nonnull_(1);

#endif
