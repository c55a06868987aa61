/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often functions were called in a trace, and how long the calls took.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_FUNCTION_STATS_H
#define AUXBPF_CALLS_FUNCTION_STATS_H

#include "calls/call_stack.h"
#include "calls/function_names.h"
#include "calls/histogram.h"

struct function_stat {
	uint64_t calls;		     /* of which begin and end were seen */
	uint64_t unseen;	     /* other ones */
	uint64_t total;		     /* ns, without calls inside a call of the same function */
	uint64_t self;		     /* ns, without the calls that it made */
	struct histogram *durations; /* NULL without calls */
};

/* By the number of the function. Zero-initialised but for @names is empty and valid. */
struct function_stats {
	const struct function_names *names; /* auxbpf's own work is left out by it */
	struct function_stat *stats;
	size_t nr;
};

/* The calls of one task that run now, for the statistics. Zero-initialised but for @stats is valid. */
struct task_stats {
	struct function_stats *stats;
	uint64_t *inner; /* by depth: ns in the calls that this one made */
	size_t cap;
	size_t nr_gate; /* calls of auxbpf's own programs that run */
};

/* The functions for a call_stack whose context is a struct task_stats. */
extern const struct call_observer function_stats_observer;

void task_stats__release(struct task_stats *task) _nonnull_(1);
void function_stats__release(struct function_stats *stats) _nonnull_(1);

#endif
