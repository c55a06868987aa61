// SPDX-License-Identifier: GPL-2.0-only
#include "calls/call_paths.h"

#include <errno.h>
#include <string.h>

#include "calls/gate_names.h"

/*
 * A call that is not over. Its path is apart from that of its caller, where it is not known yet whether it belongs there: a
 * function that only leads to BPF programs does not, if these are auxbpf's. The first one, at the index 0, stands
 * for the callers that will be found by returns into them.
 */
struct open_call {
	struct call_path *path; /* NULL: auxbpf's own work */
	uint64_t begin;
	uint64_t inner;	   /* ns in the calls that it has made, and not traced */
	uint64_t nr_short; /* calls in it that were too short */
	bool is_apart;
	bool has_inside;  /* it has made a call, or was not traced */
	bool has_gate;	  /* it has called auxbpf's own programs... */
	bool has_foreign; /* ...or those of others */
};

static int reserve(struct task_paths *paths, size_t nr)
{
	size_t cap = paths->cap ? paths->cap * 2 : 64;
	struct open_call *open;

	if (nr <= paths->cap)
		return 0;
	open = reallocarray(paths->open, cap, sizeof(*open));
	if (!open)
		return -ENOMEM;
	paths->open = open;
	paths->cap = cap;
	return 0;
}

/* Frees paths that are siblings, with all below them, without recursion: they may be as long as a program likes. */
static void free_paths(struct call_path *list)
{
	while (list) {
		struct call_path *path = list, *inside = path->first;

		list = path->next;
		while (inside) {
			struct call_path *next = inside->next;

			inside->next = list;
			list = inside;
			inside = next;
		}
		free(path);
	}
}

/* Takes all that is below @path. */
static struct call_path *take_inside(struct call_path *path)
{
	return steal_ptr(path->first);
}

void call_path__release(struct call_path *root)
{
	free_paths(take_inside(root));
}

static void link_path(struct call_path *parent, struct call_path *path)
{
	path->parent = parent;
	path->next = parent->first;
	parent->first = path;
}

/* Finds the path below @parent that @key describes, and makes it the first one: it may well be the next one, too. */
static struct call_path *find(struct call_path *parent, const struct call_path *key)
{
	for (struct call_path **link = &parent->first; *link; link = &(*link)->next) {
		struct call_path *path = *link;

		if (path->function == key->function && path->is_kernel == key->is_kernel &&
		    path->is_gap == key->is_gap) {
			*link = path->next;
			link_path(parent, path);
			return path;
		}
	}
	return NULL;
}

static struct call_path *new_path(struct call_path *parent, const struct call_path *key)
{
	struct call_path *path = malloc(sizeof(*path));

	if (path) {
		*path = *key;
		path->parent = parent;
	}
	return path;
}

struct call_path *call_path__get(struct call_path *parent, const struct call_path *key)
{
	struct call_path *path = find(parent, key);

	if (!path) {
		path = new_path(parent, key);
		if (path)
			link_path(parent, path);
	}
	return path;
}

/* Puts paths that are siblings below @parent, where the same ones may be: then their times are added. */
static void merge(struct call_path *parent, struct call_path *list)
{
	for (struct call_path *path = list; path; path = path->next)
		path->parent = parent;
	while (list) {
		struct call_path *path = list, *inside = path->first, *same = find(path->parent, path);

		list = path->next;
		if (!same) {
			link_path(path->parent, path);
			continue;
		}
		same->calls += path->calls;
		same->self += path->self;
		while (inside) {
			struct call_path *next = inside->next;

			inside->parent = same;
			inside->next = list;
			list = inside;
			inside = next;
		}
		free(path);
	}
}

/* Nobody will return to a caller of what was seen so far. */
static void close_callers(struct task_paths *paths, uint64_t begin)
{
	struct open_call *callers = &paths->open[0];

	merge(&paths->root, take_inside(callers->path));
	paths->nr_short += callers->nr_short;
	*callers = (struct open_call){.path = callers->path, .begin = begin};
}

/* A caller is found: what was seen so far was called by it. */
static void adopt(struct open_call *callers, struct open_call *call)
{
	struct call_path *path = call->path, *inside = take_inside(callers->path);
	bool is_apart = call->is_apart;

	*call = *callers;
	call->path = path;
	call->is_apart = is_apart;
	*callers = (struct open_call){.path = callers->path, .begin = callers->begin};
	if (path)
		merge(path, inside);
	else
		free_paths(inside);
}

static bool is_hidden(const struct task_paths *paths, const struct open_call *caller,
		      const struct function *function)
{
	return !caller->path || (function->is_gate && !paths->opts->with_gate);
}

static int on_enter(void *ctx, const struct call_frame *frame, size_t depth)
{
	struct task_paths *paths = ctx;
	const struct function *function = function_names__get(paths->opts->names, frame->function);
	const struct call_path key = {.function = frame->function, .is_kernel = frame->is_kernel};
	bool is_caller = !depth && frame->kind == CALL_CALLER;
	struct open_call *caller, *call;
	int err = reserve(paths, depth + 2);

	if (err)
		return err;
	if (!depth && (frame->kind == CALL_RUNNING || !paths->last))
		close_callers(paths, frame->time);
	paths->last = frame->time;
	caller = &paths->open[depth];
	call = caller + 1;
	*call = (struct open_call){.begin = frame->time};
	paths->nr = depth + 2;
	if (!is_hidden(paths, caller, function)) {
		call->is_apart = is_caller || (function->is_glue && !paths->opts->with_gate);
		call->path =
			call->is_apart ? new_path(caller->path, &key) : call_path__get(caller->path, &key);
		if (!call->path)
			return -ENOMEM;
	}
	if (is_caller)
		adopt(caller, call);
	return 0;
}

static uint64_t time_between(uint64_t begin, uint64_t end)
{
	return end > begin ? end - begin : 0;
}

/* Whether a call that is over was auxbpf's own work, as gate_path__mark() tells. */
static bool was_gate(const struct task_paths *paths, const struct open_call *call,
		     const struct function *function)
{
	return !call->path ||
	       (!paths->opts->with_gate && function->is_glue && call->has_gate && !call->has_foreign);
}

/* Counts a call of some duration that is over and is not auxbpf's own. */
static void count(struct open_call *caller, struct open_call *call, uint64_t took)
{
	struct call_path *path = call->path;

	path->calls++;
	path->self += time_between(call->inner, took);
	caller->inner += took;
	caller->nr_short += call->nr_short;
	if (call->is_apart) {
		path->next = NULL;
		merge(caller->path, path);
	}
}

static void drop(struct open_call *call)
{
	if (call->path && call->is_apart) {
		call->path->next = NULL;
		free_paths(call->path);
	}
	call->path = NULL;
}

static int on_leave(void *ctx, const struct call_frame *frame, size_t depth, uint64_t time, enum call_end how)
{
	struct task_paths *paths = ctx;
	const struct function *function = function_names__get(paths->opts->names, frame->function);
	struct open_call *caller = &paths->open[depth], *call = caller + 1;
	uint64_t took = time_between(call->begin, time);

	paths->last = time;
	paths->nr = depth + 1;
	caller->has_inside = true;
	if (was_gate(paths, call, function)) {
		caller->has_gate = true;
		caller->inner += took;
		drop(call);
		return 0;
	}
	if (function->is_glue && (call->has_inside || gate_names__is_bpf(function->name)))
		caller->has_foreign = true;
	if (took < paths->opts->min_duration) {
		caller->nr_short += call->nr_short + 1;
		drop(call);
	} else {
		count(caller, call, took);
	}
	return 0;
}

static int on_mark(void *ctx, enum call_mark mark, uint64_t begin, uint64_t end, const char *text)
{
	const struct call_path key = {.is_gap = true};
	struct task_paths *paths = ctx;
	struct open_call *call = &paths->open[paths->nr - 1];
	uint64_t took = time_between(begin, end);
	struct call_path *path;

	paths->last = end;
	call->has_inside = true;
	if (mark != CALL_MARK_GAP || !call->path || took < paths->opts->min_duration)
		return 0;
	path = call_path__get(call->path, &key);
	if (!path)
		return -ENOMEM;
	path->self += took;
	call->inner += took;
	return 0;
}

const struct call_observer call_paths_observer = {.enter = on_enter, .leave = on_leave, .mark = on_mark};

int task_paths__init(struct task_paths *paths, const struct call_paths_opts *opts)
{
	const struct call_path key = {0};

	*paths = (struct task_paths){.opts = opts};
	if (reserve(paths, 1))
		return -ENOMEM;
	paths->open[0] = (struct open_call){.path = new_path(&paths->root, &key)};
	paths->nr = 1;
	return paths->open[0].path ? 0 : -ENOMEM;
}

void task_paths__release(struct task_paths *paths)
{
	for (size_t i = paths->nr; i-- > 1;)
		drop(&paths->open[i]);
	if (paths->nr)
		free_paths(paths->open[0].path);
	call_path__release(&paths->root);
	free(paths->open);
	*paths = (struct task_paths){0};
}

int task_paths__finish(struct task_paths *paths, struct call_stack *stack)
{
	int err = stack ? call_stack__leave(stack, 0, paths->last) : 0;

	if (!err)
		close_callers(paths, paths->last);
	return err;
}

const struct call_path *call_path__next_below(const struct call_path *path, const struct call_path *top)
{
	const struct call_path *at = path;

	if (at->first)
		return at->first;
	while (at && at != top && !at->next)
		at = at->parent;
	return at && at != top ? at->next : NULL;
}

const struct call_path *call_path__next(const struct call_path *path)
{
	return call_path__next_below(path, NULL);
}
