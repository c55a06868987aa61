// SPDX-License-Identifier: GPL-2.0-only
#include "containers/container_new.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "containers/container_name.h"
#include "containers/container_survey.h"

static void release_clues(struct container_clues *clues)
{
	while (clues->nr)
		free(clues->all[--clues->nr].name);
	free(clues->all);
	*clues = (struct container_clues){0};
}

static bool has_clue(const struct container_clues *clues, const char *name, bool begins)
{
	for (size_t i = 0; i < clues->nr; i++)
		if (clues->all[i].begins == begins && !strcmp(clues->all[i].name, name))
			return true;
	return false;
}

static int add_clue(struct container_clues *clues, const char *name, bool begins)
{
	struct container_clue *all;
	char *copy;

	if (has_clue(clues, name, begins))
		return 0;
	all = reallocarray(clues->all, clues->nr + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	clues->all = all;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	all[clues->nr++] = (struct container_clue){copy, begins};
	return 0;
}

/* Adds a wanted name. A container with any path may have it, and only its record tells. */
static int add_wanted(struct container_clues *clues, const char *name)
{
	int err = add_clue(clues, name, false);

	return !err && container_name__is_hex(name, CONTAINER_PREFIX_DIGITS) ? add_clue(clues, name, true)
									     : err;
}

/* Adds the ids in the paths of the cgroups that the survey has. */
static int add_seen(struct container_clues *clues, const struct container_survey *survey)
{
	int err = 0;

	for (size_t i = 0; !err && i < survey->nr; i++) {
		const struct container_name *name = &survey->all[i].name;

		if (name->kind != CONTAINER_CONTAINER)
			continue;
		clues->in_lists |= !strcmp(name->runtime, "podman");
		clues->by_docker |= !strcmp(name->runtime, "docker") || !strcmp(name->runtime, "oci");
		err = add_clue(clues, name->id, false);
	}
	return err;
}

/* Tells whether a runtime has given the container a name of its own: runc and crun know only the id. */
static bool is_told(const struct container_survey *survey, const struct container_entry *entry)
{
	const struct container_state *state = container_entry__state(survey, entry);

	return state && (state->pod || (state->name && strcmp(state->name, state->id) != 0));
}

static enum container_new judge(const struct container_survey *survey,
				const struct container_wanted_names *names)
{
	enum container_new verdict = CONTAINER_NEW_UNTOLD;

	/* The innermost container is the last one, and its verdict counts. */
	for (size_t i = 0; i < survey->nr; i++) {
		const struct container_entry *entry = &survey->all[i];

		for (size_t j = 0; j < names->nr; j++)
			if (container_entry__answer(survey, entry, names->all[j]).rank != CONTAINER_RANK_NONE)
				return CONTAINER_NEW_NAMED;
		if (entry->name.kind == CONTAINER_CONTAINER)
			verdict = is_told(survey, entry) ? CONTAINER_NEW_OTHER : CONTAINER_NEW_UNTOLD;
	}
	return verdict;
}

int container_new__judge(const struct cgroup_tree *tree, const struct container_wanted_names *names,
			 char *const *paths, size_t nr, enum container_new *verdicts)
{
	_cleanup_container_survey_ struct container_survey survey = {.tree = tree};
	_cleanup_(release_clues) struct container_clues clues = {0};
	int err = 0;

	for (size_t i = 0; !err && i < names->nr; i++)
		err = add_wanted(&clues, names->all[i]);
	for (size_t i = 0; !err && i < nr; i++) {
		err = container_survey__see(&survey, paths[i]);
		if (!err)
			err = add_seen(&clues, &survey);
	}
	if (!err)
		err = container_states__read_about(tree, &clues, &survey.states);
	for (size_t i = 0; !err && i < nr; i++) {
		err = container_survey__see(&survey, paths[i]);
		verdicts[i] = judge(&survey, names);
	}
	return err;
}
