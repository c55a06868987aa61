/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls of one task in one window, as a tree, from what a call_stack tells. What is not a call has its place
 * between them: a time without trace, an error of the decoder.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_CALL_TREE_H
#define AUXBPF_CALLS_CALL_TREE_H

#include "calls/call_stack.h"

struct call {
	struct call *parent, *first, *last, *next;
	uint64_t begin, end; /* ns */
	function_id function;
	site_id from_site; /* see struct call_frame; of CALL_INLINED where it was inlined */
	int32_t cpu;	   /* where it was entered */
	int32_t end_cpu;   /* of CALL_MARK_OFF: where the task came back */
	enum call_mark mark;
	enum call_kind kind;
	enum call_end how;
	bool is_kernel;
	bool is_over; /* its end was seen: @end and @how hold */
	bool is_gate; /* auxbpf's own work (gate_path.h) */
	char *text;
};

struct call_tree {
	struct call root; /* no call; its children are what ran first */
	struct call *at;  /* what runs: the root, or a call that is not over */
	struct call
		*before; /* the root's last child from before what runs first was found running; NULL: none */
	size_t nr;	 /* of calls and marks */
	int32_t cpu;	 /* of the branches that come; the owner sets it */
};

/* The functions for a call_stack whose context is the tree. */
extern const struct call_observer call_tree_observer;

/* Makes @tree empty. It must not be moved in memory after it. */
void call_tree__init(struct call_tree *tree) _nonnull_(1);

/* Frees all calls, and leaves the tree empty. */
void call_tree__clear(struct call_tree *tree) _nonnull_(1);

/*
 * Drops what the root has that ended before @begin, or began after @end, with all that is in it: runs of the task that
 * touch this time stay whole.
 */
void call_tree__keep(struct call_tree *tree, uint64_t begin, uint64_t end) _nonnull_(1);

/*
 * Adds a copy of @call to what @parent has called, behind its child @after; NULL: in front of all. Returns 0 or -ENOMEM.
 */
int call_tree__insert(struct call_tree *tree, struct call *parent, struct call *after,
		      const struct call *call) _must_check_ _nonnull_(1, 2, 4);

/*
 * Sorts what the root has by time, with all that is in it: what several captures tell of the task, of which a later one may
 * have older trace. Returns 0 or -ENOMEM.
 */
int call_tree__sort(struct call_tree *tree) _must_check_ _nonnull_(1);

/* Moves all calls of @from to @to, which need not be initialised, and leaves @from empty. */
void call_tree__move(struct call_tree *to, struct call_tree *from) _nonnull_(1, 2);

/*
 * Returns the call that follows @call in the order in which they ran: the first one that it made, if any;
 * NULL behind the last one. The root comes before the first.
 */
struct call *call_tree__next(struct call *call) _must_check_ _nonnull_(1);

/* Tells whether the begin of a call was seen: @begin holds. */
static inline bool call__has_begin(const struct call *call)
{
	return call->kind != CALL_RUNNING && call->kind != CALL_CALLER;
}

/* Tells whether the time from begin to end of a call is known. */
static inline bool call__has_duration(const struct call *call)
{
	return call->is_over && call__has_begin(call);
}

#endif
