/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF maps that tell which cgroups are targets: of ids, and of the paths that count again when a cgroup
 * is removed and made again. And those of the cgroups that conditions name. Filled at start; from then on the BPF
 * programs keep them.
 */
#ifndef AUXBPF_GATE_GATE_CGROUPS_H
#define AUXBPF_GATE_GATE_CGROUPS_H

#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "rules/named_cgroups.h"

/* Adds ids to the map @fd: how many of them were new, or a negative errno, which is logged. */
int gate_cgroups__add_ids(int fd, const uint64_t *ids, size_t nr) _must_check_;

/* Adds paths, each shorter than AUXBPF_CGROUP_PATH. 0 or a negative errno, which is logged. */
int gate_cgroups__add_paths(int fd, char *const *paths, size_t nr) _must_check_;

/* Takes a path out again; one that is not there is none the less gone. */
void gate_cgroups__forget_path(int fd, const char *path) _nonnull_(2);

/* Room for @nr cgroups that conditions name: their paths, and the ids of those that are made again. */
void gate_cgroups__size_named(struct bpf_map *paths, struct bpf_map *ids, uint32_t nr) _nonnull_(1, 2);

/* Adds their paths to the map @fd. What is too long is said. 0 or a negative errno, which is logged. */
int gate_cgroups__add_named(int fd, const struct named_cgroups *named) _must_check_ _nonnull_(2);

/*
 * Adds to the map @fd the ids of those that have another one by now; @root is that of /proc and /sys. To be called
 * when the programs notice new ones. 0 or a negative errno, which is logged.
 */
int gate_cgroups__check_named(int fd, const char *root, const struct named_cgroups *named) _must_check_
	_nonnull_(2, 3);

#endif
