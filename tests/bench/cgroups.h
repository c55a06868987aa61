/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real cgroups, many, in one directory of the v2 hierarchy.
 */
#ifndef BENCH_CGROUPS_H
#define BENCH_CGROUPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

/* More than one, many. */
#define BENCH_CGROUPS 10000

struct bench_cgroups;

/* Makes @nr of them. -EOPNOTSUPP where there is no v2 hierarchy. Says what is wrong. */
int bench_cgroups__new(size_t nr, struct bench_cgroups **ret) _must_check_ _nonnull_(2);

/* Removes them; whose tasks are in one must have moved or ended. */
void bench_cgroups__free(struct bench_cgroups *cgroups);

DEFINE_CLEANUP(bench_cgroups, struct bench_cgroups *, bench_cgroups__free)

/* Their ids. */
const uint64_t *bench_cgroups__ids(const struct bench_cgroups *cgroups) _nonnull_(1);

/* Moves the process into cgroup @i. */
int bench_cgroups__enter(const struct bench_cgroups *cgroups, size_t i, pid_t pid) _must_check_ _nonnull_(1);

#endif
