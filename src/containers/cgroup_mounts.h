/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds where the cgroup hierarchies are mounted, of both versions (proc_pid_mountinfo(5), cgroups(7)).
 */
#ifndef AUXBPF_CONTAINERS_CGROUP_MOUNTS_H
#define AUXBPF_CONTAINERS_CGROUP_MOUNTS_H

#include <stddef.h>

#include "base/cleanup.h"

struct cgroup_mounts {
	/* The mount point of the v2 hierarchy, or NULL if it is not mounted. */
	char *v2;
	/* The mount points of the v1 hierarchies. */
	char **v1;
	size_t nr_v1;
};

/* Reads /proc/self/mountinfo under @root. Negative errno; @ret is to be released in any case. */
int cgroup_mounts__read(const char *root, struct cgroup_mounts *ret) _must_check_ _nonnull_(1, 2);
void cgroup_mounts__release(struct cgroup_mounts *mounts) _nonnull_(1);

/* Returns @path without @mount if it is the mount point or below it: "" or a path that begins with "/".
 * Otherwise NULL. */
const char *cgroup_mounts__strip(const char *mount, const char *path) _nonnull_(1, 2);

#endif
