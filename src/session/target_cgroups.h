/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroups of --cgroup and --container: they are found by name and told to the gate, with all below them.
 * With --wait they are looked for again when a cgroup is made that may be one of them.
 */
#ifndef AUXBPF_SESSION_TARGET_CGROUPS_H
#define AUXBPF_SESSION_TARGET_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/waiter.h"
#include "containers/container_roots.h"
#include "gate/gate.h"

struct target_cgroups;

/* The strings are the user's and must live as long as the struct target_cgroups. */
struct target_cgroups_opts {
	const char *root; /* of /proc and /sys */
	const char *const *cgroups;
	size_t nr_cgroups;
	const char *const *containers;
	size_t nr_containers;
	bool wait;		       /* wait for containers that are not there yet */
	struct container_roots *roots; /* gets the roots of their processes; NULL: not needed */
};

/* Finds the cgroups. Logs which are not there; 0 or a negative errno. */
int target_cgroups__new(const struct target_cgroups_opts *opts, struct target_cgroups **ret) _must_check_
	_nonnull_(1, 2);

/* Makes the cgroups targets of the gate. Logs; 0 or a negative errno. */
int target_cgroups__add(struct target_cgroups *tc, struct gate *gate) _must_check_ _nonnull_(1, 2);

/* With opts.wait, looks for the containers again while the waiter runs. 0 or a negative errno. */
int target_cgroups__watch(struct target_cgroups *tc, struct waiter *waiter) _must_check_ _nonnull_(1, 2);

/*
 * Lists a process of each of the cgroups and of those below, for what must be looked up as they see it.
 * Writes at most @max pids and returns their number.
 */
size_t target_cgroups__pids(const struct target_cgroups *tc, int *pids, size_t max) _nonnull_(1, 2);

/*
 * Looks for roots of their processes that are not known yet. With opts.wait this is done while the waiter
 * runs, too.
 */
void target_cgroups__note_roots(struct target_cgroups *tc) _nonnull_(1);

void target_cgroups__free(struct target_cgroups *tc);

DEFINE_CLEANUP(target_cgroups, struct target_cgroups *, target_cgroups__free)

#endif
