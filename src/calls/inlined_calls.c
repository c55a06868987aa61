// SPDX-License-Identifier: GPL-2.0-only
#include "calls/inlined_calls.h"

#include <errno.h>

/* The level that calls are put into, one after the other. */
struct levels {
	struct call_tree *tree;
	const struct call_sites *sites;
	struct call *parent; /* whose calls they are */
	struct call *at;     /* the level that is open, or @parent */
	inlined_id inlined;  /* the function of @at; 0: that is @parent */
	bool is_aside;	     /* the last call that was put has no place of its own */
};

static inlined_id outer(const struct levels *l, inlined_id inlined)
{
	return call_sites__place(l->sites, call_sites__inlined(l->sites, inlined)->from_site)->inlined;
}

/* Finds the innermost function that both are inside of. */
static inlined_id common(const struct levels *l, inlined_id a, inlined_id b)
{
	uint32_t depth_a = call_sites__inlined(l->sites, a)->depth,
		 depth_b = call_sites__inlined(l->sites, b)->depth;

	for (; depth_a > depth_b; depth_a--)
		a = outer(l, a);
	for (; depth_b > depth_a; depth_b--)
		b = outer(l, b);
	for (; a != b; a = outer(l, a))
		b = outer(l, b);
	return a;
}

/* Whether a call came in the place of the one before it, or behind it: there it has no place of its own in the caller. */
static bool follows_on(const struct call *call)
{
	return call->kind == CALL_JUMP || call->kind == CALL_SIGNAL;
}

/* Whether a call says nothing of where the caller is: it is none, or auxbpf's own, which may not be shown. */
static bool is_aside(const struct call *call)
{
	return call->mark || call->is_gate;
}

/* Finds the inlined function that @call was made from; what is aside between two calls is where both are. */
static inlined_id inlined_of(const struct levels *l, const struct call *call)
{
	const struct call *next = call;

	if (is_aside(call) && l->is_aside)
		return l->inlined;
	while (next && is_aside(next))
		next = next->next;
	if (!next)
		return 0;
	if (follows_on(next))
		return l->inlined;
	if (next == call)
		return call_sites__place(l->sites, call->from_site)->inlined;
	return common(l, l->inlined, call_sites__place(l->sites, next->from_site)->inlined);
}

/* Leaves levels until @to is open, which it is inside of. */
static void leave_to(struct levels *l, inlined_id to)
{
	while (l->inlined != to) {
		l->inlined = outer(l, l->inlined);
		l->at = l->at->parent;
	}
}

static void append(struct call *parent, struct call *call)
{
	call->parent = parent;
	call->next = NULL;
	if (parent->last)
		parent->last->next = call;
	else
		parent->first = call;
	parent->last = call;
}

/* Opens the level of @inlined, and before it those that it is inside of, up to the open one. @first is the first call in it. */
static int enter(struct levels *l, inlined_id inlined, const struct call *first)
{
	const struct inlined *function = call_sites__inlined(l->sites, inlined);
	struct call *level;
	int err;

	if (inlined == l->inlined)
		return 0;
	err = enter(l, outer(l, inlined), first);
	level = err ? NULL : malloc(sizeof(*level));
	if (!level)
		return err ? err : -ENOMEM;
	*level = (struct call){.begin = first->begin,
			       .function = function->function,
			       .from_site = function->from_site,
			       .cpu = first->cpu,
			       .kind = CALL_INLINED,
			       .is_kernel = l->parent->is_kernel};
	append(l->at, level);
	l->tree->nr++;
	l->at = level;
	l->inlined = inlined;
	return 0;
}

/* Makes the levels that are open last as long as @call, which is the last one in them so far. */
static void extend(const struct levels *l, const struct call *call)
{
	for (struct call *level = l->at; level != l->parent; level = level->parent) {
		level->end = call->end;
		level->is_over = call->is_over;
	}
}

/* Puts a call of the parent's behind those that were put before it. */
static int put(struct levels *l, struct call *call)
{
	inlined_id inlined = inlined_of(l, call);
	int err;

	leave_to(l, common(l, l->inlined, inlined));
	err = enter(l, inlined, call);
	append(l->at, call);
	l->is_aside = is_aside(call);
	if (!err && !l->is_aside)
		extend(l, call);
	return err;
}

/* Puts the calls of @parent into levels. */
static int put_all(struct call_tree *tree, const struct call_sites *sites, struct call *parent)
{
	struct levels l = {.tree = tree, .sites = sites, .parent = parent, .at = parent};
	struct call *call = parent->first, *next;
	int err = 0;

	parent->first = parent->last = NULL;
	for (; call; call = next) {
		next = call->next;
		if (err)
			append(parent, call);
		else
			err = put(&l, call);
	}
	return err;
}

int inlined_calls__insert(struct call_tree *tree, const struct call_sites *sites)
{
	struct call *call = &tree->root;
	int err = 0;

	for (; !err && call; call = call_tree__next(call)) {
		if (call->kind != CALL_INLINED && !is_aside(call))
			err = put_all(tree, sites, call);
	}
	return err;
}
