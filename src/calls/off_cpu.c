// SPDX-License-Identifier: GPL-2.0-only
#include "calls/off_cpu.h"

#include <errno.h>

static int add_time(struct off_times *times)
{
	size_t cap = times->cap ? times->cap * 2 : 16;

	if (times->nr == times->cap) {
		struct off_time *grown = reallocarray(times->list, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		times->list = grown;
		times->cap = cap;
	}
	times->list[times->nr++] = times->now;
	return 0;
}

int off_times__switch(struct off_times *times, const struct task_switch *s)
{
	bool ends = times->is_off && !s->is_out;

	times->is_off = s->is_out;
	if (ends) {
		times->now.end = s->time;
		times->now.end_cpu = s->cpu;
		return add_time(times);
	}
	times->now = (struct off_time){.begin = s->time, .cpu = s->cpu};
	return 0;
}

void off_times__release(struct off_times *times)
{
	free(times->list);
	*times = (struct off_times){0};
}

/* A place between the calls: in @parent, behind its child @after. */
struct place {
	struct call *parent, *after;
};

struct best_place {
	struct place place;
	uint64_t time; /* of the time off the CPU, ns: so much is there */
};

/* Goes through the places of a tree, in the order of time. */
struct place_finder {
	const struct off_times *times;
	struct best_place *best; /* of each time off the CPU */
	size_t first;		 /* of these: those before it have ended */
	struct place place;
	uint64_t now; /* when the place begins, ns */
};

/* The place goes on until @end. */
static void end_place(struct place_finder *f, uint64_t end)
{
	const struct off_time *list = f->times->list;

	if (end <= f->now)
		return;
	while (f->first < f->times->nr && list[f->first].end <= f->now)
		f->first++;
	for (size_t i = f->first; i < f->times->nr && list[i].begin < end; i++) {
		uint64_t from = list[i].begin > f->now ? list[i].begin : f->now,
			 to = list[i].end < end ? list[i].end : end;

		if (to > from && to - from > f->best[i].time)
			f->best[i] = (struct best_place){f->place, to - from};
	}
	f->now = end;
}

/* Goes on with what begins @call. A caller that was found late has begun before what is in it, nobody knows when. */
static void begin_call(struct place_finder *f, struct call *call)
{
	if (call->kind == CALL_CALLER)
		return;
	end_place(f, call->begin);
	f->place = (struct place){call->mark ? call->parent : call, call->mark ? call : NULL};
}

static void end_call(struct place_finder *f, struct call *call)
{
	if (call->is_over)
		end_place(f, call->end);
	f->place = (struct place){call->parent, call};
}

/* Finds the best place of each time off the CPU. */
static void find_places(struct place_finder *f, struct call_tree *tree)
{
	struct call *call = tree->root.first;

	f->place.parent = &tree->root;
	while (call) {
		begin_call(f, call);
		if (call->first) {
			call = call->first;
			continue;
		}
		end_call(f, call);
		while (!call->next && call->parent != &tree->root) {
			call = call->parent;
			end_call(f, call);
		}
		call = call->next;
	}
	end_place(f, UINT64_MAX);
}

/* Adds the mark of a time off the CPU, if its place is inside of a call. */
static int add_mark(struct call_tree *tree, const struct off_time *time, struct place place, bool with_gate)
{
	const struct call mark = {
		.mark = CALL_MARK_OFF,
		.begin = time->begin,
		.end = time->end,
		.cpu = time->cpu,
		.end_cpu = time->end_cpu,
		.is_over = true,
	};

	while (!with_gate && place.parent && place.parent->is_gate)
		place = (struct place){place.parent->parent, place.parent};
	if (!place.parent || place.parent == &tree->root)
		return 0;
	return call_tree__insert(tree, place.parent, place.after, &mark);
}

int off_times__mark(const struct off_times *times, struct call_tree *tree, bool with_gate)
{
	_cleanup_free_ struct best_place *best = calloc(times->nr + 1, sizeof(*best));
	struct place_finder finder = {.times = times, .best = best};
	int err = 0;

	if (!best)
		return -ENOMEM;
	find_places(&finder, tree);
	/* From the last one on: of those at one place the first one then comes first. */
	for (size_t i = times->nr; !err && i > 0; i--)
		err = add_mark(tree, &times->list[i - 1], best[i - 1].place, with_gate);
	return err;
}
