// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "report/comparison.h"
#include "report/json_line.h"

/* So many of the calls in which the paths differ are told. */
#define MOST_CALLS 1000

static const char *name_of(const struct comparison *c, const struct window_calls *window,
			   const struct call *call)
{
	return call_names__get(c->names, call_numbers__step(window->numbers, call));
}

static int print_window(FILE *to, const struct comparison *c)
{
	const struct window *w = c->window;
	struct json_object *object = json_object_new_object(), *args = json_object_new_array();

	json__add_text(object, "compare", "window");
	json__add_u64(object, "window", w->number);
	json__add_text(object, "name", w->name);
	for (size_t i = 0; w->has_args && i < ARRAY_SIZE(w->args); i++)
		json__append_u64(args, w->args[i]);
	json__add(object, "args", args);
	json__add_text(object, "result", w->result);
	json__add_text(object, "comm", w->comm);
	json__add_i64(object, "pid", w->pid);
	json__add_i64(object, "tid", w->tid);
	json__add_u64(object, "begin_ns", w->begin);
	json__add_u64(object, "duration_ns", window__duration(w));
	json__add_u64(object, "off_ns", w->off);
	json__add_u64(object, "others", c->others->nr);
	json__add_u64(object, "median_ns", c->others->median);
	json__add_u64(object, "typical_windows", c->nr_typical);
	json__add_u64(object, "typical_window", c->typical->number);
	json__add_u64(object, "typical_duration_ns", window__duration(c->typical));
	if (c->with)
		json__add_text(object, "with", c->with);
	json__add_i64(object, "difference_ns", c->difference);
	return json_line__print(to, object);
}

/* Makes a list of the functions from the first one of a path to @call; the root of the tree has none. */
static struct json_object *path_to(const struct comparison *c, const struct window_calls *window,
				   const struct call *call)
{
	struct json_object *path = json_object_new_array();
	_cleanup_free_ const struct call **calls = NULL;
	size_t nr = 0;

	for (const struct call *at = call; at->parent; at = at->parent)
		nr++;
	calls = calloc(nr + 1, sizeof(*calls));
	if (!calls) {
		json_object_put(path);
		return NULL;
	}
	for (size_t i = nr; i-- > 0; call = call->parent)
		calls[i] = call;
	for (size_t i = 0; i < nr; i++)
		json__append_text(path, name_of(c, window, calls[i]));
	return path;
}

static struct json_object *side_of(const struct comparison *c, const struct window_calls *window,
				   const struct parting_side *side)
{
	struct json_object *object = json_object_new_object(), *calls = json_object_new_array();
	const struct call *call = side->first;

	for (size_t i = 0; call && i < side->nr && i < MOST_CALLS; i++) {
		json__append_text(calls, name_of(c, window, call));
		call = call_parting__next(window, call);
	}
	json__add(object, "calls", calls);
	json__add_u64(object, "nr", side->nr);
	json__add_text(object, "then", side->then ? name_of(c, window, side->then) : NULL);
	return object;
}

static int print_parting(FILE *to, const struct comparison *c)
{
	const struct parting *p = c->parting;
	struct json_object *object = json_object_new_object();

	json__add_text(object, "compare", "parting");
	json__add_bool(object, "parts", p != NULL);
	if (p) {
		json__add(object, "in", path_to(c, c->here_calls, p->here.in));
		json__add_text(object, "behind",
			       p->here.behind ? name_of(c, c->here_calls, p->here.behind) : NULL);
		json__add(object, "here", side_of(c, c->here_calls, &p->here));
		json__add(object, "typical", side_of(c, c->typical_calls, &p->typical));
		json__add_bool(object, "cut", p->is_cut);
	}
	return json_line__print(to, object);
}

static struct json_object *path_of(const struct comparison *c, path_id id)
{
	size_t nr;
	_cleanup_free_ call_step *steps = path_table__steps(c->paths, id, &nr);
	struct json_object *path = steps ? json_object_new_array() : NULL;

	for (size_t i = 0; path && i < nr; i++)
		json__append_text(path, call_names__get(c->names, steps[i]));
	return path;
}

static int print_cause(FILE *to, const struct comparison *c, const struct cause *cause)
{
	static const char *const kinds[] = {
		[CAUSE_SELF] = "self",
		[CAUSE_ONLY_HERE] = "only here",
		[CAUSE_ONLY_TYPICAL] = "only typical",
		[CAUSE_CALLS] = "calls",
		[CAUSE_UNTRACED] = "not traced",
	};
	struct json_object *object = json_object_new_object();

	json__add_text(object, "compare", "cause");
	json__add_text(object, "kind", kinds[cause->kind]);
	json__add(object, "path", path_of(c, cause->path));
	json__add_i64(object, "difference_ns", cause__difference(cause));
	json__add_u64(object, "here_ns", cause->here);
	json__add_u64(object, "typical_ns", cause->typical);
	json__add_u64(object, "here_calls", cause->calls_here);
	json__add_u64(object, "typical_calls", cause->calls_typical);
	return json_line__print(to, object);
}

int comparison__print_json(FILE *to, const struct comparison *c)
{
	int err = print_window(to, c);

	if (!err)
		err = print_parting(to, c);
	for (size_t i = 0; !err && i < c->nr_causes; i++)
		err = print_cause(to, c, &c->causes[i]);
	return err;
}
