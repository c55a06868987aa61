// SPDX-License-Identifier: GPL-2.0-only
#include "export/call_walk.h"

struct walk {
	const struct call_limits *limits;
	const struct call_sink *sink;
	void *ctx;
	struct left_out *left_out;
	const struct call *root;
	uint64_t last;	/* the end of calls that are not over */
	uint64_t begin; /* of the call that was looked at last */
	uint64_t depth; /* so many calls are around it */
};

/* When the first of what is in @call was seen: only its end tells of the call itself. */
static uint64_t first_time(const struct call *call)
{
	while (call->kind == CALL_CALLER && call->first)
		call = call->first;
	return call->begin;
}

uint64_t call_walk__first(const struct call_tree *tree)
{
	return tree->root.first ? first_time(tree->root.first) : 0;
}

/* Returns the call behind @call and all that is in it, or NULL behind the last one in @top. */
static const struct call *next_beside(const struct call *call, const struct call *top)
{
	while (call != top && !call->next)
		call = call->parent;
	return call == top ? NULL : call->next;
}

uint64_t call_walk__last(const struct call_tree *tree)
{
	const struct call *root = &tree->root, *call = root;
	uint64_t last = 0;

	while (call) {
		last = call->end > last ? call->end : last;
		call = call->first ? call->first : next_beside(call, root);
	}
	return last;
}

static uint64_t begin_of(const struct walk *w, const struct call *call)
{
	if (call->kind != CALL_CALLER || call->mark)
		return call->begin;
	/* Long rows of them are inside one another, and begin together. */
	if (call->parent != w->root && call->parent->kind == CALL_CALLER && call->parent->first == call)
		return w->begin;
	return first_time(call);
}

static uint64_t end_of(const struct walk *w, const struct call *call)
{
	return call->is_over ? call->end : w->last;
}

/* Behind an error of the decoder a call may seem to end before it begins: it takes no time then. */
static bool is_short(const struct walk *w, const struct call *call)
{
	uint64_t end = end_of(w, call);

	return (end > w->begin ? end - w->begin : 0) < w->limits->min_duration;
}

static bool is_hidden(const struct walk *w, const struct call *call)
{
	return call->is_gate && !w->limits->show_gate;
}

/* Counts the calls in @top, and @top itself, which are left out. */
static void count_left_out(struct walk *w, const struct call *top)
{
	const struct call *call = top;

	while (call) {
		bool inside = !is_hidden(w, call) && call->first;

		w->begin = begin_of(w, call);
		if (!is_hidden(w, call) && !call->mark) {
			if (is_short(w, call))
				w->left_out->nr_short++;
			else
				w->left_out->nr_deep++;
		}
		call = inside ? call->first : next_beside(call, top);
	}
}

/* Looks at a mark or a call. Returns 1 if its calls are to be looked at, 0 if not, or a negative errno. */
static int look_at(struct walk *w, const struct call *call)
{
	bool is_deep = w->limits->depth && w->depth >= w->limits->depth;
	int err;

	if (is_hidden(w, call))
		return 0;
	w->begin = begin_of(w, call);
	if (call->mark == CALL_MARK_ERROR)
		return w->sink->mark(w->ctx, call);
	if (is_deep || is_short(w, call)) {
		count_left_out(w, call);
		return 0;
	}
	if (call->mark)
		return w->sink->mark(w->ctx, call);
	err = w->sink->begin(w->ctx, call, w->begin);
	return err ? err : 1;
}

static int end(const struct walk *w, const struct call *call)
{
	return w->sink->end(w->ctx, call, end_of(w, call));
}

/* Goes to the next call that is to be looked at, beside @call, which is over, or outside of it; NULL: there is none. */
static int go_on(struct walk *w, const struct call **call)
{
	int err = 0;

	while (!err && !(*call)->next && (*call)->parent != w->root) {
		*call = (*call)->parent;
		w->depth--;
		err = end(w, *call);
	}
	*call = (*call)->next;
	return err;
}

int call_walk__run(const struct call_tree *tree, const struct call_limits *limits,
		   const struct call_sink *sink, void *ctx, struct left_out *left_out)
{
	struct walk w = {.limits = limits, .sink = sink, .ctx = ctx, .left_out = left_out};
	const struct call *call = tree->root.first;
	int got = 0;

	w.root = &tree->root;
	w.last = call_walk__last(tree);
	while (call && got >= 0) {
		got = look_at(&w, call);
		if (got > 0 && call->first) {
			call = call->first;
			w.depth++;
			continue;
		}
		if (got > 0)
			got = end(&w, call);
		if (got >= 0)
			got = go_on(&w, &call);
	}
	return got < 0 ? got : 0;
}
