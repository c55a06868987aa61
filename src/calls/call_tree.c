// SPDX-License-Identifier: GPL-2.0-only
#include "calls/call_tree.h"

#include <errno.h>
#include <string.h>

void call_tree__init(struct call_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	tree->at = &tree->root;
}

static void append(struct call *parent, struct call *call)
{
	call->parent = parent;
	if (parent->last)
		parent->last->next = call;
	else
		parent->first = call;
	parent->last = call;
}

static struct call *add(struct call_tree *tree, const struct call *from)
{
	struct call *call = malloc(sizeof(*call));

	if (!call)
		return NULL;
	*call = *from;
	call->cpu = tree->cpu;
	append(tree->at, call);
	tree->nr++;
	return call;
}

/*
 * Makes what ran first, and what came after it, the children of @call, which is the root's last child: it had called
 * them. What was there before has ended by itself.
 */
static void adopt(struct call_tree *tree, struct call *call)
{
	struct call **link = tree->before ? &tree->before->next : &tree->root.first;
	struct call *first = *link, *last = NULL;

	for (struct call *c = first; c != call; c = c->next) {
		c->parent = call;
		last = c;
	}
	if (!last)
		return;
	*link = call;
	last->next = NULL;
	call->first = first;
	call->last = last;
}

static int on_enter(void *ctx, const struct call_frame *frame, size_t depth)
{
	struct call_tree *tree = ctx;
	struct call *last = tree->root.last;
	struct call *call = add(tree, &(struct call){.begin = frame->time,
						     .end = frame->time,
						     .function = frame->function,
						     .from_site = frame->from_site,
						     .kind = frame->kind,
						     .is_kernel = frame->is_kernel});

	if (!call)
		return -ENOMEM;
	if (frame->kind == CALL_RUNNING && !depth)
		tree->before = last;
	if (frame->kind == CALL_CALLER && !depth)
		adopt(tree, call);
	tree->at = call;
	return 0;
}

static int on_leave(void *ctx, const struct call_frame *frame, size_t depth, uint64_t time, enum call_end how)
{
	struct call_tree *tree = ctx;
	struct call *call = tree->at;

	call->end = time;
	call->how = how;
	call->is_over = true;
	tree->at = call->parent;
	return 0;
}

static int on_mark(void *ctx, enum call_mark mark, uint64_t begin, uint64_t end, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return -ENOMEM;
	if (add(ctx, &(struct call){.begin = begin, .end = end, .mark = mark, .is_over = true, .text = copy}))
		return 0;
	free(copy);
	return -ENOMEM;
}

const struct call_observer call_tree_observer = {.enter = on_enter, .leave = on_leave, .mark = on_mark};

int call_tree__insert(struct call_tree *tree, struct call *parent, struct call *after,
		      const struct call *call)
{
	struct call **link = after ? &after->next : &parent->first;
	struct call *copy = malloc(sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	*copy = *call;
	copy->parent = parent;
	copy->next = *link;
	*link = copy;
	if (!copy->next)
		parent->last = copy;
	tree->nr++;
	return 0;
}

struct call *call_tree__next(struct call *call)
{
	struct call *at = call;

	if (at->first)
		return at->first;
	while (at && !at->next)
		at = at->parent;
	return at ? at->next : NULL;
}

/* Frees the calls in @top, without recursion: calls may be as deep as a program likes. */
static void free_inside(struct call *top)
{
	struct call *call = top->first;

	while (call && call != top) {
		struct call *next = call->first ? call->first : call->next ? call->next : call->parent;

		if (call->first) {
			call->first = NULL;
		} else {
			free(call->text);
			free(call);
		}
		call = next;
	}
	top->first = top->last = NULL;
}

void call_tree__clear(struct call_tree *tree)
{
	free_inside(&tree->root);
	call_tree__init(tree);
}

void call_tree__move(struct call_tree *to, struct call_tree *from)
{
	call_tree__init(to);
	to->root = from->root;
	to->nr = from->nr;
	for (struct call *c = to->root.first; c; c = c->next)
		c->parent = &to->root;
	call_tree__init(from);
}

/* When the first of what is in a call was seen to begin: the call itself may be known by a return into it only. */
static uint64_t first_time(const struct call *call)
{
	while (call->first)
		call = call->first;
	return call->begin;
}

struct sorted_call {
	struct call *call;
	uint64_t time;
	size_t place; /* calls of one time stay in their order */
};

static int by_time(const void *a, const void *b)
{
	const struct sorted_call *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

int call_tree__sort(struct call_tree *tree)
{
	_cleanup_free_ struct sorted_call *list = NULL;
	struct call *root = &tree->root;
	size_t nr = 0, i = 0;

	for (const struct call *call = root->first; call; call = call->next)
		nr++;
	list = calloc(nr + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (struct call *call = root->first; call; call = call->next, i++)
		list[i] = (struct sorted_call){.call = call, .time = first_time(call), .place = i};
	qsort(list, nr, sizeof(*list), by_time);
	for (i = 0; i < nr; i++)
		list[i].call->next = list[i + 1].call;
	root->first = list[0].call;
	root->last = nr ? list[nr - 1].call : NULL;
	tree->before = NULL;
	return 0;
}

void call_tree__keep(struct call_tree *tree, uint64_t begin, uint64_t end)
{
	struct call **link = &tree->root.first, *last = NULL;

	while (*link) {
		struct call *call = *link;

		if ((call->is_over && call->end < begin) || first_time(call) > end) {
			*link = call->next;
			free_inside(call);
			free(call->text);
			free(call);
		} else {
			last = call;
			link = &call->next;
		}
	}
	tree->root.last = last;
	tree->before = NULL;
	tree->at = &tree->root;
}
