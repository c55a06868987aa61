/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Surveys the cgroups that have names and the runtimes' records about them, and tells how well a text names
 * one.
 */
#ifndef AUXBPF_CONTAINERS_CONTAINER_SURVEY_H
#define AUXBPF_CONTAINERS_CONTAINER_SURVEY_H

#include <stddef.h>

#include "base/cleanup.h"
#include "containers/cgroup_tree.h"
#include "containers/container_name.h"
#include "containers/container_state.h"

struct container_entry {
	char *path;
	uid_t owner; /* of the cgroup: 0, or the user to whom it was delegated */
	struct container_name name;
};

/* Zero-initialised, it is empty. */
struct container_survey {
	const struct cgroup_tree *tree;
	struct container_states states;
	struct container_entry *all;
	size_t nr;
	size_t cap;
};

/* So many digits are the beginning of an id: fewer are more likely a mistyped name. */
#define CONTAINER_PREFIX_DIGITS 4

/* Reads all named cgroups and all records. Negative errno, not logged; to be released in any case. */
int container_survey__read(const struct cgroup_tree *tree, struct container_survey *ret) _must_check_
	_nonnull_(1, 2);

/*
 * Replaces the cgroups of the survey by the cgroup @path and those above it, the outermost first; the records
 * stay. Negative errno, not logged.
 */
int container_survey__see(struct container_survey *survey, const char *path) _must_check_ _nonnull_(1, 2);

void container_survey__release(struct container_survey *survey) _nonnull_(1);
#define _cleanup_container_survey_ _cleanup_(container_survey__release)

enum container_rank {
	CONTAINER_RANK_NONE,
	/* The text is the beginning of an id. */
	CONTAINER_RANK_PREFIX,
	CONTAINER_RANK_EXACT,
};

/*
 * The thing that a text names. Two cgroups with the same @who and @where (may be NULL) are parts of one
 * thing. The strings are the survey's.
 */
struct container_answer {
	enum container_rank rank;
	const char *who;
	const char *where;
};

/* Tells how well @text names the cgroup. */
struct container_answer container_entry__answer(const struct container_survey *survey,
						const struct container_entry *entry, const char *text)
	_nonnull_(1, 2, 3);

/* Tells how well @text names the container, or the pod, that the record is about. */
struct container_answer container_state__answer(const struct container_state *state, const char *text)
	_nonnull_(1, 2);

/* Returns the best record about the cgroup, root's before others', one with a name before one without; or
 * NULL. */
const struct container_state *container_entry__state(const struct container_survey *survey,
						     const struct container_entry *entry) _nonnull_(1, 2);

#endif
