// SPDX-License-Identifier: GPL-2.0-only
#include "calls/call_profile.h"

#include <errno.h>

struct fold {
	struct path_table *paths;
	const struct window_calls *window;
	struct buf values; /* of struct path_values, by path */
	uint64_t off;	   /* ns off the CPU that the trace shows */
	uint64_t gate;	   /* ns in auxbpf's own call, right in front of a time that was not traced */
	struct buf closed; /* of struct closed */
};

/* A time off the CPU whose begin is told too late. */
struct closed {
	path_id path;
	uint64_t gate; /* ns in auxbpf's own call in front of it */
};

static uint64_t clip(const struct fold *f, uint64_t time)
{
	return time < f->window->begin ? f->window->begin : time > f->window->end ? f->window->end : time;
}

/* When @call was seen first: one that was running before is known by what it had called, and by its return. */
static uint64_t begin_of(const struct fold *f, const struct call *call)
{
	uint64_t begin = call->begin;

	while (call->first && !call__has_begin(call)) {
		call = call->first;
		begin = call->begin < begin ? call->begin : begin;
	}
	return clip(f, begin);
}

static uint64_t duration(const struct fold *f, const struct call *call)
{
	uint64_t begin = begin_of(f, call), end = call->is_over ? clip(f, call->end) : f->window->end;

	return end > begin ? end - begin : 0;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t children_duration(const struct fold *f, const struct call *call)
{
	uint64_t sum = 0;

	for (const struct call *c = call->first; c; c = c->next)
		sum += duration(f, c);
	return sum;
}

/* Returns the values of a path, with zeros at first; NULL if there is no memory. */
static struct path_values *values_of(struct fold *f, path_id path)
{
	size_t nr = f->values.len / sizeof(struct path_values);

	if (path >= nr)
		buf__add(&f->values, NULL, (path + 1 - nr) * sizeof(struct path_values));
	return buf__error(&f->values) ? NULL : (struct path_values *)(void *)f->values.data + path;
}

static int add(struct fold *f, path_id parent, call_step step, uint64_t self, path_id *ret)
{
	int err = path_table__get(f->paths, parent, step, ret);
	struct path_values *values = err ? NULL : values_of(f, *ret);

	if (!values)
		return err ? err : -ENOMEM;
	values->calls++;
	values->self += self;
	return 0;
}

/* Adds @call, whose caller has the path @parent. */
static int add_call(struct fold *f, const struct call *call, path_id parent, path_id *ret)
{
	uint64_t self = minus(duration(f, call), children_duration(f, call));
	call_step step = call_numbers__step(f->window->numbers, call);
	int err = add(f, parent, step, self, ret);

	if (!err && step == CALL_STEP_OFF) {
		const struct closed closed = {.path = *ret, .gate = f->gate};

		f->off += self;
		buf__add(&f->closed, &closed, sizeof(closed));
	}
	f->gate = 0;
	return err;
}

/* Leaves out a call that is not the window's, but for its time, which may be somebody else's. */
static void skip_call(struct fold *f, const struct call *call)
{
	f->gate = call->is_gate && call->next && call->next->mark == CALL_MARK_GAP ? duration(f, call) : 0;
}

/*
 * Gives back the time off the CPU that auxbpf's own calls have which closed the gate: Arm's trace tells the time of its end
 * when it goes on.
 */
static int add_closed(struct fold *f)
{
	const struct closed *list = (const struct closed *)(const void *)f->closed.data;
	struct path_values *values = (struct path_values *)(void *)f->values.data;

	for (size_t i = 0; i < f->closed.len / sizeof(*list); i++) {
		uint64_t left = minus(f->window->off, f->off),
			 more = list[i].gate < left ? list[i].gate : left;

		values[list[i].path].self += more;
		f->off += more;
	}
	return buf__error(&f->closed);
}

static int add_calls(struct fold *f)
{
	const struct call_tree *tree = f->window->tree;
	const struct call *call = tree->root.first;
	path_id parent = 0, path;

	while (call) {
		if (window_calls__has(f->window, call)) {
			int err = add_call(f, call, parent, &path);

			if (err)
				return err;
			if (call->first) {
				parent = path;
				call = call->first;
				continue;
			}
		} else {
			skip_call(f, call);
		}
		while (!call->next && call->parent != &tree->root) {
			call = call->parent;
			parent = path_table__list(f->paths)[parent].parent;
		}
		call = call->next;
	}
	return 0;
}

/* The time of the window that is in none of its calls, of which the task may have been off the CPU. */
static int add_rest(struct fold *f)
{
	uint64_t rest =
		minus(minus(f->window->end, f->window->begin), children_duration(f, &f->window->tree->root));
	uint64_t off = minus(f->window->off, f->off);
	struct path_values *window;
	path_id path;
	int err = 0;

	off = off < rest ? off : rest;
	if (off)
		err = add(f, 0, CALL_STEP_OFF, off, &path);
	window = err ? NULL : values_of(f, 0);
	if (!window)
		return err ? err : -ENOMEM;
	window->calls = 1;
	window->self = rest - off;
	return 0;
}

/* From the last paths to the first ones: a path has a higher number than the one it goes on from. */
static void add_totals(struct fold *f)
{
	const struct numbered_path *list = path_table__list(f->paths);
	struct path_values *values = (struct path_values *)(void *)f->values.data;
	uint64_t untraced = 0;

	for (size_t path = f->values.len / sizeof(*values) - 1; path > 0; path--) {
		values[path].total += values[path].self;
		if (call_step__is_call(list[path].step))
			values[list[path].parent].total += values[path].total;
		else
			untraced += values[path].self;
	}
	values[0].total += values[0].self + untraced;
}

int call_profile__fold(struct call_profile *ret, struct path_table *paths, const struct window_calls *window)
{
	struct fold f = {.paths = paths, .window = window};
	int err;

	*ret = (struct call_profile){0};
	err = add_calls(&f);
	if (!err)
		err = add_closed(&f);
	if (!err)
		err = add_rest(&f);
	buf__release(&f.closed);
	if (err) {
		buf__release(&f.values);
		return err;
	}
	add_totals(&f);
	ret->values = (struct path_values *)(void *)f.values.data;
	ret->nr = f.values.len / sizeof(*ret->values);
	return 0;
}

void call_profile__release(struct call_profile *profile)
{
	free(profile->values);
	*profile = (struct call_profile){0};
}
