/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of the cgroups that exist, and of the last ones that are gone, whose samples may still come into a
 * file.
 */
#ifndef AUXBPF_SIDEBAND_CGROUP_LIST_H
#define AUXBPF_SIDEBAND_CGROUP_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CGROUP_LIST_GONE 256

/* Zero-initialised is empty. */
struct cgroup_list {
	struct buf records; /* PERF_RECORD_CGROUP, oldest first, as if synthesised */
	size_t nr;
	size_t kept; /* how many records cgroup_list__keep() left */
};

/* Adds a record. The caller knows that the cgroup is not in the list yet. An error is the buffer's. */
void cgroup_list__add(struct cgroup_list *list, uint64_t id, const char *path, size_t trailer)
	_nonnull_(1, 3);

/* Tells whether there are so many new records that it is worth looking which cgroups still exist. */
bool cgroup_list__is_due(const struct cgroup_list *list) _nonnull_(1);

/*
 * Removes the records of cgroups that are not among the @nr ids of @living, except those of the
 * CGROUP_LIST_GONE that came last. Sorts @living.
 */
void cgroup_list__keep(struct cgroup_list *list, uint64_t *living, size_t nr) _nonnull_(1);

void cgroup_list__release(struct cgroup_list *list) _nonnull_(1);

#endif
