// SPDX-License-Identifier: GPL-2.0-only
#include "containers/container.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"
#include "containers/container_survey.h"

/* More lines would fill the screen. */
#define SHOWN_MAX 20

struct found {
	const struct container_entry *entry;
	struct container_answer answer;
};

struct findings {
	struct found *all;
	size_t nr;
};

void container_paths__release(struct container_paths *paths)
{
	while (paths->nr)
		free(paths->all[--paths->nr]);
	free(paths->all);
	*paths = (struct container_paths){0};
}

/* Returns 0 if the text does not name it. Root's cgroups go before those that users name as they like. */
static unsigned int score(const struct found *f)
{
	if (f->answer.rank == CONTAINER_RANK_NONE)
		return 0;
	return f->answer.rank + (f->entry->owner ? 0 : CONTAINER_RANK_EXACT);
}

/* Finds the cgroups that @text names with the best score. The caller frees @ret->all. */
static int look_up(const struct container_survey *survey, const char *text, struct findings *ret)
{
	unsigned int best = 1;

	ret->all = calloc(survey->nr + 1, sizeof(*ret->all));
	if (!ret->all)
		return -ENOMEM;
	for (size_t i = 0; i < survey->nr; i++) {
		struct found f = {&survey->all[i], container_entry__answer(survey, &survey->all[i], text)};

		if (score(&f) < best)
			continue;
		if (score(&f) > best)
			ret->nr = 0;
		best = score(&f);
		ret->all[ret->nr++] = f;
	}
	return 0;
}

static bool is_below(const char *path, const char *other)
{
	size_t len = strlen(other);

	return !strncmp(path, other, len) && path[len] == '/';
}

/* Drops what is below another one. Parents come before their children, so the one to keep comes first. */
static void drop_covered(struct findings *f)
{
	size_t kept = 0, i, j;

	for (i = 0; i < f->nr; i++) {
		for (j = 0; j < kept && !is_below(f->all[i].entry->path, f->all[j].entry->path); j++)
			;
		if (j == kept)
			f->all[kept++] = f->all[i];
	}
	f->nr = kept;
}

static void drop_nested(struct findings *f)
{
	size_t kept = 0, i;

	for (i = 0; i < f->nr; i++)
		if (!f->all[i].entry->name.outer)
			f->all[kept++] = f->all[i];
	if (kept)
		f->nr = kept;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_one(const struct findings *f)
{
	for (size_t i = 1; i < f->nr; i++)
		if (!same_text(f->all[i].answer.who, f->all[0].answer.who) ||
		    !same_text(f->all[i].answer.where, f->all[0].answer.where))
			return false;
	return true;
}

static void describe(const struct container_survey *survey, const struct container_entry *entry,
		     struct container_info *info)
{
	const struct container_state *state = container_entry__state(survey, entry);

	*info = (struct container_info){
		.kind = entry->name.kind,
		.runtime = entry->name.runtime,
		.id = entry->name.id,
		.path = entry->path,
		.owner = entry->owner,
	};
	if (!state)
		return;
	info->pod = state->pod;
	info->namespace = state->namespace;
	if (entry->name.kind == CONTAINER_POD)
		return;
	/* The runtime's record knows better than the path, but it may be that of runc, which works for
	 * another runtime. */
	if (!info->runtime || !strcmp(info->runtime, "oci"))
		info->runtime = state->runtime;
	if (entry->name.kind != CONTAINER_CONTAINER)
		info->id = state->id;
	info->kind = CONTAINER_CONTAINER;
	info->name = state->name;
}

/* Appends "/@part" to @name, without the slash if it is the first. */
static void add_part(char name[CONTAINER_FULL_NAME_SIZE], const char *part)
{
	size_t len = strlen(name);

	if (part)
		snprintf(name + len, CONTAINER_FULL_NAME_SIZE - len, "%s%s", len ? "/" : "", part);
}

void container_info__format_name(const struct container_info *info, char name[CONTAINER_FULL_NAME_SIZE])
{
	*name = '\0';
	if (info->kind == CONTAINER_POD || info->name) {
		add_part(name, info->pod ? info->namespace : NULL);
		add_part(name, info->pod);
	}
	if (info->kind != CONTAINER_POD)
		add_part(name, info->name);
}

void container_info__format_owner(const struct container_info *info, char text[CONTAINER_OWNER_SIZE])
{
	*text = '\0';
	if (info->owner)
		snprintf(text, CONTAINER_OWNER_SIZE, "  (of uid %u)", info->owner);
}

static void show(const struct container_info *info)
{
	int digits = container_name__is_hex(info->id, 32) ? 12 : CONTAINER_NAME_SIZE;
	char name[CONTAINER_FULL_NAME_SIZE], owner[CONTAINER_OWNER_SIZE];

	container_info__format_name(info, name);
	container_info__format_owner(info, owner);
	log_err("  %-10s  %-12.*s  %s  %s%s", info->runtime, digits, info->id, *name ? name : "-", info->path,
		owner);
}

static int explain_ambiguous(const struct container_survey *survey, const char *text,
			     const struct findings *f)
{
	struct container_info info;

	log_err("'%s' may be any of these; name one by its id, by NAMESPACE/POD/NAME, or with --cgroup PATH:",
		text);
	for (size_t i = 0; i < f->nr && i < SHOWN_MAX; i++) {
		describe(survey, f->all[i].entry, &info);
		show(&info);
	}
	if (f->nr > SHOWN_MAX)
		log_err("  and %zu more", f->nr - SHOWN_MAX);
	return -ENOTUNIQ;
}

static void offer(struct nearest *near, const char *text, const char *candidate)
{
	if (candidate)
		nearest__offer(near, text, candidate);
}

static void suggest(const struct container_survey *survey, const char *text, char *near, size_t size)
{
	struct nearest n = {0};

	for (size_t i = 0; i < survey->nr; i++) {
		const struct container_entry *entry = &survey->all[i];
		const struct container_state *state = container_entry__state(survey, entry);

		if (!container_name__is_hex(entry->name.id, 32))
			offer(&n, text, entry->name.id);
		offer(&n, text, state ? state->name : NULL);
		offer(&n, text, state ? state->pod : NULL);
	}
	nearest__format(&n, near, size);
}

/* Logs that a runtime knows such a container, but it has no cgroup. False if none knows one. */
static bool explain_absent(const struct container_survey *survey, const char *text)
{
	for (size_t i = 0; i < survey->states.nr; i++) {
		const struct container_state *state = &survey->states.all[i];

		if (container_state__answer(state, text).rank == CONTAINER_RANK_NONE)
			continue;
		log_err("%s knows '%s' (%.12s), but it has no cgroup v2: it does not run, or its cgroup is "
			"one of version 1; with --wait auxbpf waits until it starts",
			state->runtime, text, state->id);
		return true;
	}
	return false;
}

static int explain_unknown(const struct container_survey *survey, const char *text)
{
	char near[NEAREST_MAX * (NEAREST_NAME_MAX + 4)];
	struct container_info info;
	size_t nr = 0;

	if (explain_absent(survey, text))
		return -ENOENT;
	suggest(survey, text, near, sizeof(near));
	log_err("no container, pod, machine or systemd unit is called '%s'%s%s%s", text,
		*near ? "; did you mean " : "", near, *near ? "?" : "");
	for (size_t i = 0; i < survey->nr; i++) {
		describe(survey, &survey->all[i], &info);
		if (info.kind == CONTAINER_UNIT)
			continue;
		if (!nr++)
			log_err("these are there (runtime, id, name, cgroup), beside systemd's units:");
		if (nr <= SHOWN_MAX)
			show(&info);
	}
	if (nr > SHOWN_MAX)
		log_err("  and %zu more", nr - SHOWN_MAX);
	return -ENOENT;
}

static int copy_paths(const struct findings *f, struct container_paths *ret)
{
	ret->all = calloc(f->nr, sizeof(*ret->all));
	if (!ret->all)
		return -ENOMEM;
	for (; ret->nr < f->nr; ret->nr++) {
		ret->all[ret->nr] = strdup(f->all[ret->nr].entry->path);
		if (!ret->all[ret->nr])
			return -ENOMEM;
	}
	return 0;
}

static int choose(const struct container_survey *survey, const char *text, enum container_wanted wanted,
		  struct container_paths *ret)
{
	struct findings f = {0};
	int err = look_up(survey, text, &f);

	if (err)
		return err;
	drop_covered(&f);
	if (!is_one(&f))
		drop_nested(&f);
	if (!is_one(&f) && wanted != CONTAINER_ALL)
		err = explain_ambiguous(survey, text, &f);
	else if (f.nr)
		err = copy_paths(&f, ret);
	else if (wanted == CONTAINER_ONE)
		err = explain_unknown(survey, text);
	free(f.all);
	return err;
}

int container__find(const struct cgroup_tree *tree, const char *text, enum container_wanted wanted,
		    struct container_paths *ret)
{
	_cleanup_container_survey_ struct container_survey survey = {0};
	int err;

	if (!*text) {
		log_err("a container's name is missing");
		return -EINVAL;
	}
	err = container_survey__read(tree, &survey);
	if (err) {
		log_err("cannot look for container '%s': %s", text, strerror(-err));
		return err;
	}
	return choose(&survey, text, wanted, ret);
}

int container__list(const struct cgroup_tree *tree,
		    void (*show_info)(void *ctx, const struct container_info *info), void *ctx)
{
	_cleanup_container_survey_ struct container_survey survey = {0};
	struct container_info info;
	int err = container_survey__read(tree, &survey);

	for (size_t i = 0; !err && i < survey.nr; i++) {
		describe(&survey, &survey.all[i], &info);
		if (info.kind != CONTAINER_UNIT)
			show_info(ctx, &info);
	}
	return err;
}
