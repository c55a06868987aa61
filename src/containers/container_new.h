/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells whether cgroups that were just made may be what is waited for, without a look at the other cgroups.
 * Only those records of the runtimes are read that are about the new ones, or about what has a wanted name.
 */
#ifndef AUXBPF_CONTAINERS_CONTAINER_NEW_H
#define AUXBPF_CONTAINERS_CONTAINER_NEW_H

#include <stddef.h>

#include "base/cleanup.h"
#include "containers/cgroup_tree.h"

enum container_new {
	CONTAINER_NEW_UNTOLD, /* no runtime has written its name down yet */
	CONTAINER_NEW_OTHER,  /* a container of another name */
	CONTAINER_NEW_NAMED,  /* one of the wanted names is its name, or that of a cgroup above it */
};

/* The names that are waited for, with which new cgroups are compared. */
struct container_wanted_names {
	const char *const *all; /* in the form that container__find() takes */
	size_t nr;
};

/*
 * Judges each of @nr cgroups by its path. Look for a CONTAINER_NEW_NAMED with container__find(), which also
 * knows what else has the name. Negative errno, not logged.
 */
int container_new__judge(const struct cgroup_tree *tree, const struct container_wanted_names *names,
			 char *const *paths, size_t nr, enum container_new *verdicts) _must_check_
	_nonnull_(1, 2);

#endif
