/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The targets that the user asked for. A task must match all kinds that are given, and any target of one
 * kind. If none are given, every task is a target.
 */
#ifndef AUXBPF_RULES_TARGET_SET_H
#define AUXBPF_RULES_TARGET_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"

struct target_set {
	/* Processes with all their threads, and single threads. The command is one of the processes. */
	bool by_task;
	int pids[AUXBPF_MAX_PIDS];
	size_t nr_pids;
	int tids[AUXBPF_MAX_PIDS];
	size_t nr_tids;
	bool no_follow; /* their children and new threads are no targets */

	/* Cgroups with all cgroups below them. */
	bool by_cgroup;

	bool by_comm;
	struct auxbpf_glob comms;

	bool by_uid;
	uint32_t uids[AUXBPF_MAX_UIDS];
	size_t nr_uids;

	/* The CPUs that are traced, in rising order; none: all CPUs that are online. */
	int *cpus;
	size_t nr_cpus;
};

/* Returns the kinds that were asked for, as AUXBPF_BY_*. */
uint32_t target_set__kinds(const struct target_set *set) _nonnull_(1);

/*
 * Writes the processes and threads that are named, at most @max, to @ids, and returns how many it has
 * written.
 */
size_t target_set__tasks(const struct target_set *set, int *ids, size_t max) _nonnull_(1, 2);

#endif
