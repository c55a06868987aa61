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

struct traced_cpus {
	enum auxbpf_control control; /* how their gates will be moved */
	struct cpu_trace *cpus;	     /* the traced CPUs, then those with sideband only */
	size_t nr;
	size_t nr_all; /* with the others, from which tasks may come to the traced ones */
};

/*
 * Writes to @cpus the numbers of the CPUs to trace, in order, and after them those of the other CPUs that are
 * online; @nr_all of both. It is an error if there are more than @max, or if a CPU that the targets name is
 * not online. Logs; returns how many are traced, or a negative errno. @root is that of sysfs.
 */
int traced_cpus__choose(const char *root, const struct target_set *targets, int *cpus, size_t max,
			size_t *nr_all) _must_check_ _nonnull_(1, 2, 3, 5);

/*
 * Opens the events of all CPUs; those of the sideband run from then on. Raises the limit of open files. Logs;
 * 0 or a negative errno; call traced_cpus__release() in any case.
 */
int traced_cpus__open(const struct capture_opts *opts, struct traced_cpus *ret) _must_check_ _nonnull_(1, 2);

/* Begins the trace of the CPU at @i, paused if a gate opens it. Logs; 0 or a negative errno. */
int traced_cpus__enable(struct traced_cpus *t, size_t i) _must_check_ _nonnull_(1);

void traced_cpus__release(struct traced_cpus *t) _nonnull_(1);

#endif
