/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroups that conditions name by their paths. A condition is compiled with the id that the cgroup has at
 * that time. A cgroup that is made again at the path has another id, but counts as the same one.
 */
#ifndef AUXBPF_RULES_NAMED_CGROUPS_H
#define AUXBPF_RULES_NAMED_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct named_cgroup {
	char *path; /* path from the root of the v2 hierarchy, "/a/b" */
	uint64_t id;
};

/* Zero-initialised is empty. */
struct named_cgroups {
	struct named_cgroup *all;
	size_t nr;
};

/*
 * Finds the id that stands for the cgroup @path in all conditions: the one that it had when it was named
 * first, which is @id if this is the first time. @path is copied. Returns 0 or -ENOMEM.
 */
int named_cgroups__add(struct named_cgroups *set, const char *path, uint64_t id, uint64_t *ret) _must_check_
	_nonnull_(1, 2, 4);

/* Releases all entries and leaves the set empty. */
void named_cgroups__release(struct named_cgroups *set) _nonnull_(1);

#endif
