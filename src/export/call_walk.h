/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks over the calls of a tree that are to be shown, in the order in which they began and ended.
 *
 * A call lasts from when it was first seen until it was last seen, so that calls lie inside of those that made them: one
 * that was found by a return into it has begun with the first that it had called, one that is not over ends with the tree.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_CALL_WALK_H
#define AUXBPF_EXPORT_CALL_WALK_H

#include "calls/call_tree.h"

struct call_limits {
	bool show_gate;	       /* also auxbpf's own work */
	uint64_t min_duration; /* ns: shorter calls are left out, with what is in them */
	uint64_t depth;	       /* so many calls inside one another are shown; 0: all */
};

struct left_out {
	uint64_t nr_short; /* calls that were shorter */
	uint64_t nr_deep;  /* other calls, which were too deep */
};

/* Told of what is shown. Each returns 0 or a negative errno, which ends the walk. Times are ns. */
struct call_sink {
	int (*begin)(void *ctx, const struct call *call, uint64_t time);
	int (*end)(void *ctx, const struct call *call, uint64_t time);
	int (*mark)(void *ctx, const struct call *mark);
};

/*
 * Walks over @tree, whose is_gate marks hold, and adds to @left_out. Returns 0 or what the sink returned.
 */
int call_walk__run(const struct call_tree *tree, const struct call_limits *limits,
		   const struct call_sink *sink, void *ctx, struct left_out *left_out) _must_check_
	_nonnull_(1, 2, 3, 5);

/* Returns when anything of the tree was seen first and last, ns; 0 for an empty one. */
uint64_t call_walk__first(const struct call_tree *tree) _must_check_ _nonnull_(1);
uint64_t call_walk__last(const struct call_tree *tree) _must_check_ _nonnull_(1);

#endif
