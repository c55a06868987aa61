/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by cgroup_tree.c, cgroup_walk.c and cgroup_find.c.
 */
#ifndef AUXBPF_CONTAINERS_CGROUP_TREE_INTERNAL_H
#define AUXBPF_CONTAINERS_CGROUP_TREE_INTERNAL_H

#include "base/cleanup.h"
#include "containers/cgroup_mounts.h"

struct cgroup_tree {
	const char *root;
	struct cgroup_mounts mounts;
};

/* Opens the directory of a cgroup, whatever the length of its path. A descriptor or a negative errno. */
int cgroup_tree__open_dir(const struct cgroup_tree *tree, const char *path) _must_check_ _nonnull_(1, 2);

#endif
