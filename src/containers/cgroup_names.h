/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the path of a cgroup, and the container that it is in, by its id, which is all that BPF knows. What
 * was found is remembered: the cgroup may be gone when the next snapshot asks.
 */
#ifndef AUXBPF_CONTAINERS_CGROUP_NAMES_H
#define AUXBPF_CONTAINERS_CGROUP_NAMES_H

#include <stdint.h>

#include "base/cleanup.h"

struct cgroup_names;

/* Any of these may be NULL. */
struct cgroup_name {
	char *path;    /* from the root of the hierarchy, "/a/b" */
	char *runtime; /* of the container; if NULL, the rest is NULL too */
	char *id;
	char *name;
	char *pod;
	char *namespace;
};

/* @root is the directory that has /proc and /sys. NULL without memory. */
struct cgroup_names *cgroup_names__new(const char *root) _must_check_ _nonnull_(1);

/*
 * Returns the cgroup with the id @id; NULL if it is not known. Valid until the next call. An id that was not
 * asked for before takes a walk through all cgroups.
 */
const struct cgroup_name *cgroup_names__find(struct cgroup_names *names, uint64_t id) _nonnull_(1);

void cgroup_names__free(struct cgroup_names *names);

DEFINE_CLEANUP(cgroup_names, struct cgroup_names *, cgroup_names__free)

#endif
