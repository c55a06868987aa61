/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks whose branches are in a trace: each has a stack of its calls, and a tree of all of them or what is
 * counted of them or of their paths.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_REPORT_TRACED_TASKS_H
#define AUXBPF_REPORT_TRACED_TASKS_H

#include "base/buf.h"
#include "base/id_hash.h"
#include "calls/call_paths.h"
#include "calls/call_tree.h"
#include "calls/function_stats.h"
#include "calls/off_cpu.h"
#include "calls/sample_paths.h"
#include "report/windows.h"

/* A sample of a regular event. */
struct task_sample {
	uint64_t time;		/* ns */
	struct call_path *path; /* in the samples of its task */
	int32_t cpu;		/* -1: not told, as in a capture of perf record's */
};

struct traced_task {
	struct id_node node; /* tid; of an idle task, which all have the number 0, -1 - CPU */
	int32_t pid, tid;
	char *name; /* printable; the last one that it had */
	bool has_branches;
	struct call_stack stack;
	struct call_tree tree; /* empty, if calls or paths are counted */
	struct task_stats stats;
	struct task_paths paths;
	struct call_path samples; /* of regular events: a tree of paths (calls/sample_paths.h) */
	struct buf sample_list;	  /* struct task_sample, one by one, if they are kept */
	struct off_times off;	  /* if switches are told */
	uint64_t last;		  /* the time of its newest branch, ns */
	const char *capture;	  /* which of several it is of, if these are told apart; NULL: they are not */
	size_t first;	/* the first of the windows in traced_tasks.begins whose calls the tree has... */
	size_t next;	/* ...and the one behind the last of them */
	uint64_t ended; /* when its trace ended last, ns; 0: it goes on */
};

/*
 * Takes the calls of a window whose trace is over: they are in the task's tree, which is emptied behind it. The @nr - 1 windows
 * that follow were inside of it, or not traced. Returns 0 or a negative errno.
 */
typedef int (*window_taker)(void *ctx, struct traced_task *task, const struct window_begin *windows,
			    size_t nr);

/* Zero-initialised but for @names is empty and valid. */
struct traced_tasks {
	struct id_hash hash;
	const struct function_names *names;
	const struct window_begin
		*begins; /* of all windows, by task and time: calls do not go on from one to the next */
	size_t nr_begins;
	struct function_stats *stats;	     /* where calls are counted... */
	const struct call_paths_opts *paths; /* ...or how paths are; both NULL: trees are made */
	window_taker take_window; /* the tree is made anew for each window; NULL: it has all of them */
	void *ctx;		  /* of @take_window */
	bool keeps_samples;	  /* each sample is kept, not only how many there are in each path */
};

void traced_tasks__release(struct traced_tasks *tasks) _nonnull_(1);

/* Gives a task its name. Returns 0 or -ENOMEM. */
int traced_tasks__name(struct traced_tasks *tasks, int32_t tid, const char *name) _must_check_
	_nonnull_(1, 3);

/*
 * Follows a branch of a task, whose functions are those that stand for its functions. Returns 0, -ENOMEM or
 * another negative errno.
 */
int traced_tasks__branch(struct traced_tasks *tasks, const struct branch *branch) _must_check_
	_nonnull_(1, 2);

/* Counts a sample of a regular event. Returns 0 or -ENOMEM. */
int traced_tasks__sample(struct traced_tasks *tasks, const struct sample *sample,
			 const struct sample_frame *frames) _must_check_ _nonnull_(1, 2, 3);

/* Returns the samples of a task that are kept, and how many these are. */
static inline const struct task_sample *traced_task__samples(const struct traced_task *task, size_t *nr)
{
	*nr = task->sample_list.len / sizeof(struct task_sample);
	return (const struct task_sample *)(const void *)task->sample_list.data;
}

/* Drops those of other times, and sorts the others by time: a capture behind another one may have older ones. */
void traced_task__keep_samples(struct traced_task *task, uint64_t begin, uint64_t end) _nonnull_(1);

/* Notes that a task leaves a CPU or comes to one; not for the idle tasks. Returns 0 or -ENOMEM. */
int traced_tasks__switch(struct traced_tasks *tasks, const struct task_switch *s) _must_check_
	_nonnull_(1, 2);

/* Adds an error of the decoder to the task that was running. Returns 0 or -ENOMEM. */
int traced_tasks__error(struct traced_tasks *tasks, int32_t tid, int32_t cpu, uint64_t time,
			const char *text) _must_check_ _nonnull_(1, 5);

/*
 * Begins with a capture that has these windows, also behind another one, which was ended by traced_tasks__end_capture(): its
 * calls do not go on in this one.
 */
void traced_tasks__begin_capture(struct traced_tasks *tasks, const struct window_begin *begins, size_t nr)
	_nonnull_(1);

/* Leaves all calls where their tasks were seen last. Returns 0 or -ENOMEM. */
int traced_tasks__end_capture(struct traced_tasks *tasks) _must_check_ _nonnull_(1);

/*
 * Appends all tasks to @list, as struct traced_task *, in the order of their numbers, for the caller to free each with
 * traced_task__free(). There are none then. Returns 0, or -ENOMEM: the tasks stay.
 */
int traced_tasks__take(struct traced_tasks *tasks, struct buf *list) _must_check_ _nonnull_(1, 2);
void traced_task__free(struct traced_task *task) _nonnull_(1);

/* Hands over the windows whose trace ends with the capture's. Returns 0 or what the taker returned. */
int traced_tasks__finish(struct traced_tasks *tasks) _must_check_ _nonnull_(1);

/* Lists all tasks, tasks->hash.nr of them, in the order of their numbers, for the caller to free; NULL if there is no memory. */
struct traced_task **traced_tasks__list(const struct traced_tasks *tasks) _must_check_ _nonnull_(1);

#endif
