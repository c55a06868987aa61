/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPUs a session traces: those of -C, or all that are online; and what is opened on them.
 */
#ifndef AUXBPF_SESSION_TRACED_CPUS_H
#define AUXBPF_SESSION_TRACED_CPUS_H

#include <stddef.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "trace/cpu_trace.h"
#include "rules/target_set.h"
#include "capture/capture_opts.h"

struct traced_cpus {
	enum auxbpf_control control; /* how their gates will be moved */
	struct cpu_trace *cpus;	     /* those that are traced, and behind them ... */
	size_t nr;
	size_t nr_all; /* ... with those of which there is sideband alone: tasks may come from there */
};

/*
 * Writes at most @max numbers to @cpus, in order, and behind them those of the CPUs that are online and not
 * traced; there are @nr_all of both. More CPUs than that are an error, and each CPU that the targets name must be
 * online. Logs; how many are traced, or a negative errno. @root is that of sysfs.
 */
int traced_cpus__choose(const char *root, const struct target_set *targets, int *cpus, size_t max,
			size_t *nr_all) _must_check_ _nonnull_(1, 2, 3, 5);

/*
 * Opens the events of all CPUs; those of the sideband run from then on. Raises the limit of open files. Logs; 0 or
 * a negative errno, and traced_cpus__release() in any case.
 */
int traced_cpus__open(const struct capture_opts *opts, struct traced_cpus *ret) _must_check_ _nonnull_(1, 2);

/* The trace of the CPU at @i begins, paused where a gate opens it. Logs; 0 or a negative errno. */
int traced_cpus__enable(struct traced_cpus *t, size_t i) _must_check_ _nonnull_(1);

void traced_cpus__release(struct traced_cpus *t) _nonnull_(1);

#endif
