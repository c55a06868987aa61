/* SPDX-License-Identifier: GPL-2.0-only */
/* The calls of tasks, as they were decoded, from which a file for another program is written. */
#ifndef AUXBPF_EXPORT_EXPORTED_H
#define AUXBPF_EXPORT_EXPORTED_H

#include "export/call_walk.h"
#include "calls/off_cpu.h"
#include "report/snapshots.h"
#include "report/traced_tasks.h"

struct exported {
	const char *capture; /* its name */
	const struct function_names *names;
	struct traced_task *const *tasks; /* with trees, whose is_gate marks hold, or with paths */
	size_t nr_tasks;
	const struct window *const *windows; /* that are shown, by task and begin */
	size_t nr_windows;
	const struct task_switch
		*switches; /* in the time that is shown, of all tasks, if the format asks for them */
	size_t nr_switches;
	bool is_sampled; /* the tasks have samples, and neither calls nor paths of calls */
	bool has_events; /* ...of several events */
	const struct snapshot_line *const
		*snapshots; /* the lines of the captures in the index, as far as they have any */
	size_t nr_snapshots;
	const struct call_limits *limits;
	struct left_out left_out; /* the writers add to it */
};

/* Returns the name of a task, which is printable. */
static inline const char *exported__name(const struct traced_task *task)
{
	return task->name ? task->name : "idle";
}

/* Returns the top of a task's samples: a path that names their event, or, if there are several, that above the events'. */
static inline const struct call_path *exported__samples(const struct exported *exported,
							const struct traced_task *task)
{
	return exported->has_events ? &task->samples : task->samples.first;
}

#endif
