// SPDX-License-Identifier: GPL-2.0-only
#include "calls/function_stats.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static int reserve_depth(struct task_stats *task, size_t depth)
{
	size_t cap = task->cap ? task->cap * 2 : 64;
	uint64_t *inner;

	if (depth < task->cap)
		return 0;
	inner = reallocarray(task->inner, cap, sizeof(*inner));
	if (!inner)
		return -ENOMEM;
	task->inner = inner;
	task->cap = cap;
	return 0;
}

static bool is_gate(const struct function_stats *stats, const struct call_frame *frame)
{
	return function_names__get(stats->names, frame->function)->is_gate;
}

static int on_enter(void *ctx, const struct call_frame *frame, size_t depth)
{
	struct task_stats *task = ctx;
	int err = reserve_depth(task, depth);

	if (err)
		return err;
	task->inner[depth] = 0;
	task->nr_gate += is_gate(task->stats, frame);
	return 0;
}

static struct function_stat *get_stat(struct function_stats *stats, function_id function)
{
	size_t nr = stats->nr ? stats->nr * 2 : 1024;
	struct function_stat *grown;

	function &= ~FUNCTION_NAMELESS;
	if (function < stats->nr)
		return &stats->stats[function];
	while (nr <= function)
		nr *= 2;
	grown = reallocarray(stats->stats, nr, sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + stats->nr, 0, (nr - stats->nr) * sizeof(*grown));
	stats->stats = grown;
	stats->nr = nr;
	return &grown[function];
}

/* Whether a call of the same function had not ended; the frames of the callers are in front of @frame. */
static bool is_recursive(const struct call_frame *frame, size_t depth)
{
	for (size_t i = 1; i <= depth; i++) {
		if (frame[-(ptrdiff_t)i].function == frame->function)
			return true;
	}
	return false;
}

static int count(struct function_stat *stat, const struct call_frame *frame, size_t depth, uint64_t took,
		 uint64_t inner)
{
	if (!stat->durations)
		stat->durations = calloc(1, sizeof(*stat->durations));
	if (!stat->durations)
		return -ENOMEM;
	histogram__add(stat->durations, took);
	stat->calls++;
	stat->self += took - inner;
	if (!is_recursive(frame, depth))
		stat->total += took;
	return 0;
}

static int on_leave(void *ctx, const struct call_frame *frame, size_t depth, uint64_t time, enum call_end how)
{
	struct task_stats *task = ctx;
	uint64_t took = time - frame->time;
	struct function_stat *stat;

	if (depth)
		task->inner[depth - 1] += took;
	if (task->nr_gate) {
		task->nr_gate -= is_gate(task->stats, frame);
		return 0;
	}
	stat = get_stat(task->stats, frame->function);
	if (!stat)
		return -ENOMEM;
	if (how != CALL_LEFT && frame->kind != CALL_RUNNING && frame->kind != CALL_CALLER)
		return count(stat, frame, depth, took, task->inner[depth]);
	stat->unseen++;
	return 0;
}

const struct call_observer function_stats_observer = {.enter = on_enter, .leave = on_leave};

void task_stats__release(struct task_stats *task)
{
	free(task->inner);
	task->inner = NULL;
	task->cap = 0;
}

void function_stats__release(struct function_stats *stats)
{
	for (size_t i = 0; i < stats->nr; i++)
		free(stats->stats[i].durations);
	free(stats->stats);
	stats->stats = NULL;
	stats->nr = 0;
}
