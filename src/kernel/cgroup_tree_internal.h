/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What cgroup_tree.c and cgroup_find.c share.
 */
#ifndef AUXBPF_KERNEL_CGROUP_TREE_INTERNAL_H
#define AUXBPF_KERNEL_CGROUP_TREE_INTERNAL_H

#include "kernel/cgroup_mounts.h"

struct cgroup_tree {
	const char *root;
	struct cgroup_mounts mounts;
};

#endif
