// SPDX-License-Identifier: GPL-2.0-only
#include "containers/container_survey.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* An id that a runtime made has 64 digits, one of Amazon's 32 and more; any other is a name that somebody
 * chose. */
#define ID_DIGITS_MIN 32

static bool is(const char *text, const char *other)
{
	return other && !strcmp(text, other);
}

static bool is_generated(const char *id)
{
	return strspn(id, "0123456789abcdef") >= ID_DIGITS_MIN;
}

/* Tells whether the record is about this container, or about a container of this pod. */
static bool has_record(const struct container_entry *entry, const struct container_state *state)
{
	if (state->owner && state->owner != entry->owner)
		return false;
	if (entry->name.kind == CONTAINER_POD)
		return is(entry->name.id, state->pod_uid);
	return (entry->name.kind == CONTAINER_CONTAINER && is(entry->name.id, state->id)) ||
	       is(entry->path, state->cgroup);
}

/* Tells whether @state is the better record: root's, or one with a name. For runc and crun the name is the
 * id, which the runtime above them chose. */
static bool tells_more(const struct container_state *state, const struct container_state *than)
{
	if (!state->owner != !than->owner)
		return !state->owner;
	return !than->name || is(than->id, than->name);
}

const struct container_state *container_entry__state(const struct container_survey *survey,
						     const struct container_entry *entry)
{
	const struct container_state *best = NULL, *state;

	for (size_t i = 0; i < survey->states.nr; i++) {
		state = &survey->states.all[i];
		if (has_record(entry, state) && (!best || tells_more(state, best)))
			best = state;
	}
	return best;
}

static int add_entry(struct container_survey *survey, const char *path, uid_t owner,
		     const struct container_name *name)
{
	struct container_entry *all;
	size_t cap = survey->cap * 2 + 16;

	if (survey->nr == survey->cap) {
		all = realloc(survey->all, cap * sizeof(*all));
		if (!all)
			return -ENOMEM;
		survey->all = all;
		survey->cap = cap;
	}
	survey->all[survey->nr] = (struct container_entry){strdup(path), owner, *name};
	return survey->all[survey->nr++].path ? 0 : -ENOMEM;
}

/* Adds a cgroup; passes over one for which nobody has a name. */
static int consider(void *ctx, const char *path, uint64_t id)
{
	struct container_survey *survey = ctx;
	struct container_name name;
	uid_t owner;
	bool named;

	if (!path)
		return 0;
	container_name__read(path, &name);
	named = name.kind != CONTAINER_NONE;
	for (size_t i = 0; !named && i < survey->states.nr; i++)
		named = is(path, survey->states.all[i].cgroup);
	if (!named)
		return 0;
	/* A cgroup that is gone meanwhile is nobody's. */
	if (cgroup_tree__owner(survey->tree, path, &owner))
		owner = (uid_t)-1;
	return add_entry(survey, path, owner, &name);
}

int container_survey__read(const struct cgroup_tree *tree, struct container_survey *ret)
{
	int err = container_states__read(tree, &ret->states);

	ret->tree = tree;
	return err ? err : cgroup_tree__walk(tree, "/", consider, ret);
}

static void drop_entries(struct container_survey *survey)
{
	while (survey->nr)
		free(survey->all[--survey->nr].path);
}

int container_survey__see(struct container_survey *survey, const char *path)
{
	char part[PATH_MAX];
	size_t len = 0;
	int err = 0;

	drop_entries(survey);
	while (!err && path[len]) {
		len += 1 + strcspn(path + len + 1, "/");
		if (snprintf(part, sizeof(part), "%.*s", (int)len, path) >= (int)sizeof(part))
			return -ENAMETOOLONG;
		err = consider(survey, part, 0);
	}
	return err;
}

void container_survey__release(struct container_survey *survey)
{
	drop_entries(survey);
	free(survey->all);
	container_states__release(&survey->states);
	*survey = (struct container_survey){0};
}

/* Returns what follows "@part/" in @text, or NULL. */
static const char *after(const char *text, const char *part)
{
	size_t len = part ? strlen(part) : 0;

	return len && !strncmp(text, part, len) && text[len] == '/' ? text + len + 1 : NULL;
}

static enum container_rank rank_id(const char *text, const char *id)
{
	if (is(text, id))
		return CONTAINER_RANK_EXACT;
	return is_generated(id) && container_name__is_hex(text, CONTAINER_PREFIX_DIGITS) &&
			       !strncmp(id, text, strlen(text))
		       ? CONTAINER_RANK_PREFIX
		       : CONTAINER_RANK_NONE;
}

/* Tells whether @text is POD or NAMESPACE/POD. */
static bool names_pod(const struct container_state *state, const char *text)
{
	const char *pod = after(text, state->namespace);

	return is(text, state->pod) || (pod && is(pod, state->pod));
}

static struct container_answer answer_pod(const struct container_state *state)
{
	return (struct container_answer){
		.rank = CONTAINER_RANK_EXACT,
		.who = state->pod_uid ? state->pod_uid : state->pod,
		.where = state->namespace,
	};
}

struct container_answer container_state__answer(const struct container_state *state, const char *text)
{
	const char *below = after(text, state->namespace);
	const char *name = after(below ? below : text, state->pod);
	struct container_answer answer = {
		.rank = rank_id(text, state->id),
		.who = state->id,
		.where = is_generated(state->id) ? NULL : state->runtime,
	};

	if (names_pod(state, text))
		return answer_pod(state);
	if (is(text, state->name) || (name && is(name, state->name)))
		answer.rank = CONTAINER_RANK_EXACT;
	return answer;
}

/* Answers by what the path itself tells. */
static struct container_answer answer_path(const struct container_entry *entry, const char *text)
{
	const struct container_name *name = &entry->name;
	struct container_answer answer = {.who = entry->path};
	char uid[CONTAINER_NAME_SIZE];

	if (name->kind == CONTAINER_NONE)
		return answer;
	container_name__format_uid(text, uid, sizeof(uid));
	if (name->kind == CONTAINER_CONTAINER)
		answer.rank = rank_id(text, name->id);
	if (!strcmp(text, name->id) || !strcmp(text, container_name__last(entry->path)) ||
	    (name->kind == CONTAINER_POD && !strcmp(uid, name->id)))
		answer.rank = CONTAINER_RANK_EXACT;
	if (name->kind != CONTAINER_UNIT)
		answer.who = name->id;
	if (name->kind == CONTAINER_CONTAINER && !is_generated(name->id))
		answer.where = name->runtime;
	return answer;
}

struct container_answer container_entry__answer(const struct container_survey *survey,
						const struct container_entry *entry, const char *text)
{
	struct container_answer best = answer_path(entry, text), answer;

	for (size_t i = 0; i < survey->states.nr && best.rank != CONTAINER_RANK_EXACT; i++) {
		const struct container_state *state = &survey->states.all[i];

		if (!has_record(entry, state))
			continue;
		if (entry->name.kind != CONTAINER_POD)
			answer = container_state__answer(state, text);
		else if (names_pod(state, text))
			answer = answer_pod(state);
		else
			continue;
		if (answer.rank > best.rank)
			best = answer;
	}
	return best;
}
