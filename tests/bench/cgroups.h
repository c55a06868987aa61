/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many real cgroups, in one directory of the v2 hierarchy.
 */
#ifndef BENCH_CGROUPS_H
#define BENCH_CGROUPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

/* How many cgroups stand for many in the table. */
#define BENCH_CGROUPS 10000

struct bench_cgroups;

/* Makes @nr cgroups. Logs; 0, -EOPNOTSUPP if there is no v2 hierarchy, or another negative errno. */
int bench_cgroups__new(size_t nr, struct bench_cgroups **ret) _must_check_ _nonnull_(2);

/* Removes the cgroups; tasks in them must have moved or ended before. */
void bench_cgroups__free(struct bench_cgroups *cgroups);

DEFINE_CLEANUP(bench_cgroups, struct bench_cgroups *, bench_cgroups__free)

/* Returns the ids of the cgroups. */
const uint64_t *bench_cgroups__ids(const struct bench_cgroups *cgroups) _nonnull_(1);

/* Moves the process into cgroup @i. Logs; 0 or a negative errno. */
int bench_cgroups__enter(const struct bench_cgroups *cgroups, size_t i, pid_t pid) _must_check_ _nonnull_(1);

#endif
