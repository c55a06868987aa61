/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets, as the user asked for them. A task must match all kinds given, any of one kind; with none given
 * every task is a target.
 */
#ifndef AUXBPF_RULES_TARGET_SET_H
#define AUXBPF_RULES_TARGET_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"

struct target_set {
	/* Tasks: processes with all their threads, and single threads. The command is one of the processes.
	 */
	bool by_task;
	int pids[AUXBPF_MAX_PIDS];
	size_t nr_pids;
	int tids[AUXBPF_MAX_PIDS];
	size_t nr_tids;
	bool no_follow; /* their children and new threads are no targets */

	/* Cgroups, with all below them. */
	bool by_cgroup;

	bool by_comm;
	struct auxbpf_glob comms;

	bool by_uid;
	uint32_t uids[AUXBPF_MAX_UIDS];
	size_t nr_uids;

	/* CPUs that are traced, in rising order; none: all that are online. */
	int *cpus;
	size_t nr_cpus;
};

/* The kinds that were asked for, as AUXBPF_BY_*. */
uint32_t target_set__kinds(const struct target_set *set) _nonnull_(1);

/* Writes the processes and threads that are named, at most @max, to @ids; how many there are then. */
size_t target_set__tasks(const struct target_set *set, int *ids, size_t max) _nonnull_(1, 2);

#endif
