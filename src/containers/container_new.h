/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether cgroups that were just made may be what is waited for, without a look at those that are there: of the
 * runtimes' records those are read that are about the new ones, or about what has the wanted name.
 */
#ifndef AUXBPF_CONTAINERS_CONTAINER_NEW_H
#define AUXBPF_CONTAINERS_CONTAINER_NEW_H

#include <stddef.h>

#include "base/cleanup.h"
#include "containers/cgroup_tree.h"

enum container_new {
	CONTAINER_NEW_UNTOLD, /* no runtime has written down yet what it is called */
	CONTAINER_NEW_OTHER,  /* a container of another name */
	CONTAINER_NEW_NAMED,  /* one of the wanted names is its name, or that of one above it */
};

/* The names that are waited for: the paths of new cgroups are compared with them. */
struct container_wanted_names {
	const char *const *all; /* as container__find() takes them */
	size_t nr;
};

/*
 * Judges each of @nr cgroups by its path. What is CONTAINER_NEW_NAMED is to be looked for with container__find(),
 * which knows as well what else has the name. Negative errno, not logged.
 */
int container_new__judge(const struct cgroup_tree *tree, const struct container_wanted_names *names,
			 char *const *paths, size_t nr, enum container_new *verdicts) _must_check_
	_nonnull_(1, 2);

#endif
