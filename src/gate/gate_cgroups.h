/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF maps of cgroups: the ids of targets, the paths whose cgroups are targets again when they are
 * removed and made again, and the cgroups that conditions name. They are filled at start; from then on the
 * BPF programs keep them.
 */
#ifndef AUXBPF_GATE_GATE_CGROUPS_H
#define AUXBPF_GATE_GATE_CGROUPS_H

#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "rules/named_cgroups.h"

/* Adds ids to the map @fd. Returns how many of them were new, or a negative errno, which is logged. */
int gate_cgroups__add_ids(int fd, const uint64_t *ids, size_t nr) _must_check_;

/* Adds paths, each shorter than AUXBPF_CGROUP_PATH. 0 or a negative errno, which is logged. */
int gate_cgroups__add_paths(int fd, char *const *paths, size_t nr) _must_check_;

/* Removes a path from the map @fd. A path that is not there is no error. */
void gate_cgroups__forget_path(int fd, const char *path) _nonnull_(2);

/* Sizes the maps for @nr cgroups of conditions: their paths, and the ids of those that are made again. */
void gate_cgroups__size_named(struct bpf_map *paths, struct bpf_map *ids, uint32_t nr) _nonnull_(1, 2);

/*
 * Adds the paths of named cgroups to the map @fd. Logs those that are too long. 0 or a negative errno, which
 * is logged.
 */
int gate_cgroups__add_named(int fd, const struct named_cgroups *named) _must_check_ _nonnull_(2);

/*
 * Adds the ids of those named cgroups to the map @fd that were made again and have another id by now. Call it
 * when the programs notice new cgroups. @root is that of /proc and /sys. 0 or a negative errno, which is
 * logged.
 */
int gate_cgroups__check_named(int fd, const char *root, const struct named_cgroups *named) _must_check_
	_nonnull_(2, 3);

#endif
