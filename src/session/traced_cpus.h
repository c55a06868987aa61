/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPUs a session traces: those of -C, or all that are online.
 */
#ifndef AUXBPF_SESSION_TRACED_CPUS_H
#define AUXBPF_SESSION_TRACED_CPUS_H

#include <stddef.h>

#include "base/cleanup.h"
#include "pure/target_set.h"

/*
 * Writes at most @max numbers to @cpus, in order, and behind them those of the CPUs that are online and not
 * traced; there are @nr_all of both. Each CPU that the targets name must be online. Logs; how many are traced,
 * or a negative errno. @root is that of sysfs.
 */
int traced_cpus__choose(const char *root, const struct target_set *targets, int *cpus, size_t max,
			size_t *nr_all) _must_check_ _nonnull_(1, 2, 3, 5);

#endif
