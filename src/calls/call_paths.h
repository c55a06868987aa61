/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much time a task has spent in each path of calls, from what a call_stack tells. The memory that it takes grows with the
 * number of paths, not with that of calls.
 *
 * A call lasts from when it was first seen until it was last seen. The time in which a call was not traced is that of
 * a path of its own below it.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_CALL_PATHS_H
#define AUXBPF_CALLS_CALL_PATHS_H

#include "calls/call_stack.h"
#include "calls/function_names.h"

/* A call of a function in the path of its callers. Zero-initialised it is the root of an empty tree. */
struct call_path {
	struct call_path *parent, *first, *next; /* @first: of the paths that are longer by one call */
	function_id function;
	bool is_kernel;
	bool is_gap; /* no function: the time that was not traced */
	uint64_t
		calls; /* that have ended here; of samples (calls/sample_paths.h), those in it and below it */
	uint64_t self; /* ns in them, without the calls that they made; samples in the function itself */
	uint32_t number; /* for whoever writes paths by number; 0: it has none yet */
};

struct call_paths_opts {
	const struct function_names *names; /* auxbpf's own work is told by it */
	bool with_gate;			    /* auxbpf's own work is not left out */
	uint64_t min_duration;		    /* ns: the time of shorter calls is that of their callers */
};

struct open_call;

/* The paths of one task. */
struct task_paths {
	const struct call_paths_opts *opts;
	struct call_path root;	/* no call; complete once task_paths__finish() was called */
	struct open_call *open; /* by depth, behind one that stands for whoever has called the first */
	size_t nr, cap;
	uint64_t last;	   /* when anything was seen last, ns */
	uint64_t nr_short; /* calls that were too short, as far as the paths in @root are concerned */
};

/* The functions for a call_stack whose context is a struct task_paths. */
extern const struct call_observer call_paths_observer;

/* Makes @paths empty; @opts must live as long. It must not be moved in memory after it. Returns 0 or -ENOMEM. */
int task_paths__init(struct task_paths *paths, const struct call_paths_opts *opts) _must_check_
	_nonnull_(1, 2);
void task_paths__release(struct task_paths *paths) _nonnull_(1);

/*
 * Ends all calls of @stack, whose context is @paths, where they were last seen; NULL: they have ended. Returns 0 or a negative
 * errno.
 */
int task_paths__finish(struct task_paths *paths, struct call_stack *stack) _must_check_ _nonnull_(1);

/* Finds the path below @parent that @key describes, or adds it; NULL if there is no memory. */
struct call_path *call_path__get(struct call_path *parent, const struct call_path *key) _must_check_
	_nonnull_(1, 2);

/* Frees all that is below @root. */
void call_path__release(struct call_path *root) _nonnull_(1);

/*
 * Returns the path that follows @path in an order in which each comes behind its parent; NULL behind the last one.
 * The root comes before the first.
 */
const struct call_path *call_path__next(const struct call_path *path) _must_check_ _nonnull_(1);

/* Returns the path that follows @path in that order, but none that is not below @top; NULL: the root is the top. */
const struct call_path *call_path__next_below(const struct call_path *path,
					      const struct call_path *top) _must_check_ _nonnull_(1);

#endif
