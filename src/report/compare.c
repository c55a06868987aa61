// SPDX-License-Identifier: GPL-2.0-only
#include "report/compare.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/pager.h"
#include "calls/gate_path.h"
#include "calls/typical_profile.h"
#include "report/comparison.h"
#include "report/decoding.h"

/* The branches of a window may seem to be so much before or after it, ns. */
#define MARGIN 100000

/* A tree of calls that is kept; windows inside one another have the same one. */
struct kept_tree {
	struct call_tree tree;
	size_t nr_users;
};

/* The calls of a window that are kept. */
struct kept_window {
	const struct window *window; /* NULL: none */
	struct kept_tree *tree;
	struct window_calls calls;
};

/* A window that is compared. */
struct chosen {
	struct kept_window kept;
	struct kind *kind;
	struct call_profile profile;
	int err; /* why it cannot be compared */
};

/* A system call or function that has opened windows which are compared, with the typical ones. */
struct kind {
	struct typical_windows windows;
	struct typical_profile profile;
	struct kept_window kept; /* the one whose duration is nearest to the median */
};

/* A capture that is decoded. */
struct source {
	struct compare *compare;
	const struct windows *windows;
	struct decoding decoding;
	struct call_numbers numbers;
	bool has_chosen, has_typical; /* windows that are chosen, or typical, are among these */
};

struct compare {
	const struct compare_opts *opts;
	struct call_names names;
	struct path_table paths;
	struct chosen *chosen;
	bool *is_chosen; /* by number - 1 */
	size_t nr;
	struct kind *kinds;
	size_t nr_kinds;
	struct kept_tree *taken; /* of the tree that is handed over now; NULL: nobody keeps it */
};

static void release_kept(struct kept_window *kept)
{
	if (kept->tree && !--kept->tree->nr_users) {
		call_tree__clear(&kept->tree->tree);
		free(kept->tree);
	}
	*kept = (struct kept_window){0};
}

/* Keeps the calls of a window. The tree stays where it is until all of its windows were looked at. */
static int keep(struct compare *c, struct kept_window *kept, const struct window *window,
		const struct window_calls *calls)
{
	if (!c->taken)
		c->taken = calloc(1, sizeof(*c->taken));
	if (!c->taken)
		return -ENOMEM;
	c->taken->nr_users++;
	release_kept(kept);
	*kept = (struct kept_window){.window = window, .tree = c->taken, .calls = *calls};
	kept->calls.tree = &c->taken->tree;
	return 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static bool is_nearer(const struct kind *kind, const struct window *w)
{
	uint64_t median = kind->windows.median;

	return !kind->kept.window ||
	       distance(window__duration(w), median) < distance(window__duration(kind->kept.window), median);
}

static int take_typical(struct compare *c, struct kind *kind, const struct window *w,
			const struct window_calls *calls)
{
	struct call_profile profile;
	int err = call_profile__fold(&profile, &c->paths, calls);

	if (!err)
		err = typical_profile__add(&kind->profile, &profile);
	call_profile__release(&profile);
	/* A window with too many paths is none of the typical ones. */
	if (err == -ENOSPC)
		return 0;
	return !err && is_nearer(kind, w) ? keep(c, &kind->kept, w, calls) : err;
}

static int take_chosen(struct compare *c, struct chosen *chosen, const struct window_calls *calls)
{
	int err = call_profile__fold(&chosen->profile, &c->paths, calls);

	if (err == -ENOSPC) {
		chosen->err = -ENOSPC;
		return 0;
	}
	return err ? err : keep(c, &chosen->kept, chosen->kept.window, calls);
}

static bool is_traced(const struct window_calls *calls)
{
	for (const struct call *c = calls->tree->root.first; c; c = c->next) {
		if (window_calls__has(calls, c))
			return true;
	}
	return false;
}

static int take_window(struct source *source, const struct window *w, const struct call_tree *tree)
{
	struct compare *c = source->compare;
	const struct window_calls calls = {
		.tree = tree, .numbers = &source->numbers, .begin = w->begin, .end = w->end, .off = w->off};
	int err = 0;

	if (!is_traced(&calls))
		return 0;
	for (size_t i = 0; !err && source->has_chosen && i < c->nr; i++) {
		if (c->chosen[i].kept.window == w && !c->chosen[i].err)
			err = take_chosen(c, &c->chosen[i], &calls);
	}
	for (size_t i = 0; !err && source->has_typical && i < c->nr_kinds; i++) {
		if (typical_windows__has(&c->kinds[i].windows, w))
			err = take_typical(c, &c->kinds[i], w, &calls);
	}
	return err;
}

/* Adds the names of functions that were found since the last window. */
static int add_numbers(struct source *source)
{
	const struct function_names *names = &source->decoding.names;
	int err = 0;

	while (!err && call_numbers__next(&source->numbers) < names->nr) {
		function_id id = call_numbers__next(&source->numbers);

		err = call_numbers__add(&source->numbers, id, function_names__get(names, id)->name);
	}
	return err;
}

/* Takes a tree and the windows that are in it (traced_tasks.h). */
static int take_windows(void *ctx, struct traced_task *task, const struct window_begin *windows, size_t nr)
{
	struct source *source = ctx;
	struct compare *c = source->compare;
	int err = add_numbers(source);

	gate_path__mark(&task->tree, &source->decoding.names);
	for (size_t i = 0; !err && i < nr; i++)
		err = take_window(source, &source->windows->list[windows[i].number - 1], &task->tree);
	if (c->taken)
		call_tree__move(&c->taken->tree, &task->tree);
	c->taken = NULL;
	return err;
}

static bool is_wanted(const struct source *source, const struct window *w)
{
	const struct compare *c = source->compare;

	if (source->has_chosen && c->is_chosen[w->number - 1])
		return true;
	for (size_t i = 0; source->has_typical && i < c->nr_kinds; i++) {
		if (typical_windows__has(&c->kinds[i].windows, w))
			return true;
	}
	return false;
}

/* Leaves out of the part that is decoded the time before and after all windows that are wanted. */
static void set_time(const struct source *source, struct decode_opts *opts)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < source->windows->nr; i++) {
		const struct window *w = &source->windows->list[i];

		if (!is_wanted(source, w))
			continue;
		begin = w->begin < begin ? w->begin : begin;
		end = w->end > end ? w->end : end;
	}
	begin = begin > MARGIN ? begin - MARGIN : 0;
	opts->begin = begin > opts->begin ? begin : opts->begin;
	opts->end = end + MARGIN < opts->end ? end + MARGIN : opts->end;
}

static int decode(struct source *source, const char *file)
{
	struct compare *c = source->compare;
	struct decode_opts opts = c->opts->decode;
	int err = call_numbers__init(&source->numbers, &c->names);

	opts.file = file;
	set_time(source, &opts);
	source->decoding.tasks.take_window = take_windows;
	source->decoding.tasks.ctx = source;
	if (!err)
		err = decoding__windows(&source->decoding, &opts, source->windows);
	decoding__tell_errors(&source->decoding);
	return err;
}

static struct kind *find_kind(struct compare *c, const char *name)
{
	for (size_t i = 0; i < c->nr_kinds; i++) {
		if (!strcmp(c->kinds[i].windows.name, name))
			return &c->kinds[i];
	}
	return NULL;
}

/* Finds the typical windows of each kind, among @windows. */
static int make_kinds(struct compare *c, const struct windows *windows, bool is_other_file)
{
	const bool *chosen = is_other_file ? NULL : c->is_chosen;

	c->kinds = calloc(c->nr, sizeof(*c->kinds));
	if (!c->kinds)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr; i++) {
		const char *name = c->chosen[i].kept.window->name;
		struct kind *kind = find_kind(c, name);

		if (!kind) {
			kind = &c->kinds[c->nr_kinds++];
			kind->profile.max = TYPICAL_RECORDS;
			if (typical_windows__find(&kind->windows, windows, name, chosen))
				return -ENOMEM;
		}
		c->chosen[i].kind = kind;
	}
	return 0;
}

/* Says why a window cannot be compared that is not in the trace, or its kind has no other one. Returns 0 or a negative errno. */
static int check_chosen(const struct compare *c, const struct chosen *chosen)
{
	const char *file = c->opts->decode.file, *others = c->opts->with ? c->opts->with : file;
	const struct window *w = chosen->kept.window;

	if (!w->is_over)
		log_err("window %zu is not over; choose another one with --window", w->number);
	else if (!chosen->kind->windows.nr && c->opts->with)
		log_err("window %zu: '%s' has no window of %s that is over, to compare it with", w->number,
			others, w->name);
	else if (!chosen->kind->windows.nr)
		log_err("window %zu is the only one of %s; choose another one with --window, or the typical "
			"ones of another capture with --compare-with",
			w->number, w->name);
	else
		return 0;
	return -ENODATA;
}

/* Says why a window cannot be compared, once all is decoded. */
static int check_decoded(const struct compare *c, const struct chosen *chosen)
{
	const char *file = c->opts->decode.file;
	const struct window *w = chosen->kept.window;

	if (chosen->err)
		log_err("window %zu has calls on too many paths", w->number);
	else if (!chosen->kept.tree)
		log_err("window %zu: nothing of it is in the trace of '%s', which may begin later; choose "
			"another one with "
			"--window",
			w->number, file);
	else if (!chosen->kind->kept.tree)
		log_err("window %zu: no typical window of %s is in the trace of '%s'", w->number, w->name,
			c->opts->with ? c->opts->with : file);
	else
		return 0;
	return -ENODATA;
}

static int print(const struct compare *c, struct comparison *comparison, const struct call_profile *here,
		 const struct call_profile *typical)
{
	_cleanup_free_ struct cause *causes = NULL;
	struct parting parting;
	int found = call_parting__find(comparison->here_calls, comparison->typical_calls, &parting);
	int err = found < 0 ? found
			    : profile_diff__list(&c->paths, here, typical, &causes, &comparison->nr_causes);

	if (err)
		return err;
	comparison->parting = found ? &parting : NULL;
	comparison->causes = causes;
	comparison->difference =
		(int64_t)(call_profile__get(here, 0).total - call_profile__get(typical, 0).total);
	return c->opts->json ? comparison__print_json(stdout, comparison)
			     : comparison__print(stdout, comparison, pager__columns());
}

static int print_chosen(const struct compare *c, const struct chosen *chosen)
{
	const struct kind *kind = chosen->kind;
	struct comparison comparison = {.window = chosen->kept.window,
					.typical = kind->kept.window,
					.with = c->opts->with,
					.others = &kind->windows,
					.nr_typical = kind->profile.nr,
					.names = &c->names,
					.paths = &c->paths,
					.here_calls = &chosen->kept.calls,
					.typical_calls = &kind->kept.calls};
	struct call_profile typical;
	int err = typical_profile__get(&kind->profile, &typical);

	if (!err)
		err = print(c, &comparison, &chosen->profile, &typical);
	call_profile__release(&typical);
	return err;
}

/* Prints all that can be compared. Returns 0, or why one of them could not be. */
static int print_all(struct compare *c)
{
	int result = 0;

	for (size_t i = 0; i < c->nr; i++) {
		struct chosen *chosen = &c->chosen[i];
		int err = chosen->err;

		if (!err || err == -ENOSPC)
			err = check_decoded(c, chosen);
		if (!err && i && !c->opts->json)
			putchar('\n');
		if (!err)
			err = print_chosen(c, chosen);
		result = err ? err : result;
	}
	return result;
}

static void release(struct compare *c, struct source *sources, size_t nr_sources)
{
	for (size_t i = 0; i < c->nr; i++) {
		release_kept(&c->chosen[i].kept);
		call_profile__release(&c->chosen[i].profile);
	}
	for (size_t i = 0; i < c->nr_kinds; i++) {
		release_kept(&c->kinds[i].kept);
		typical_profile__release(&c->kinds[i].profile);
	}
	for (size_t i = 0; i < nr_sources; i++) {
		decoding__release(&sources[i].decoding);
		call_numbers__release(&sources[i].numbers);
	}
	path_table__release(&c->paths);
	call_names__release(&c->names);
	free(c->chosen);
	free(c->kinds);
	free(c->is_chosen);
}

static int choose(struct compare *c, const struct windows *windows, struct window *const *chosen, size_t nr)
{
	c->chosen = calloc(nr + 1, sizeof(*c->chosen));
	c->is_chosen = calloc(windows->nr + 1, sizeof(*c->is_chosen));
	if (!c->chosen || !c->is_chosen)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		c->chosen[c->nr++].kept.window = chosen[i];
		c->is_chosen[chosen[i]->number - 1] = true;
	}
	return 0;
}

/* Checks what is known before anything is decoded. Returns how many windows can be compared. */
static size_t check_all(struct compare *c)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->nr; i++) {
		c->chosen[i].err = check_chosen(c, &c->chosen[i]);
		nr += !c->chosen[i].err;
	}
	return nr;
}

/* Decodes what is needed: one capture, or the other one, too. */
static int decode_all(struct compare *c, struct source *sources)
{
	int err;

	sources[0].has_typical = !c->opts->with;
	sources[1].has_typical = true;
	sources[0].has_chosen = true;
	err = decode(&sources[0], c->opts->decode.file);
	return err || !c->opts->with ? err : decode(&sources[1], c->opts->with);
}

static int run(struct compare *c, struct source *sources)
{
	const struct windows *others = sources[c->opts->with ? 1 : 0].windows;
	int err = make_kinds(c, others, c->opts->with);

	if (err)
		return err;
	if (!check_all(c))
		return -ENODATA;
	err = decode_all(c, sources);
	return err ? err : print_all(c);
}

int compare__run(const struct compare_opts *opts, const struct windows *windows, const struct windows *others,
		 struct window *const *chosen, size_t nr)
{
	struct compare c = {.opts = opts};
	struct source sources[2] = {{.compare = &c, .windows = windows}, {.compare = &c, .windows = others}};
	unsigned int before = log__nr_errors();
	int err = choose(&c, windows, chosen, nr);

	if (!err)
		err = run(&c, sources);
	release(&c, sources, ARRAY_SIZE(sources));
	if (err)
		log__err_unless_said(before, "cannot compare the windows", err);
	return err;
}
