/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF maps that tell which cgroups are targets: of ids, and of the paths that count again when a cgroup
 * is removed and made again. Filled at start; from then on the BPF programs keep them.
 */
#ifndef AUXBPF_KERNEL_GATE_CGROUPS_H
#define AUXBPF_KERNEL_GATE_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Adds ids to the map @fd: how many of them were new, or a negative errno, which is logged. */
int gate_cgroups__add_ids(int fd, const uint64_t *ids, size_t nr) _must_check_;

/* Adds paths, each shorter than AUXBPF_CGROUP_PATH. 0 or a negative errno, which is logged. */
int gate_cgroups__add_paths(int fd, char *const *paths, size_t nr) _must_check_;

/* Takes a path out again; one that is not there is none the less gone. */
void gate_cgroups__forget_path(int fd, const char *path) _nonnull_(2);

#endif
