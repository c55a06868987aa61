// SPDX-License-Identifier: GPL-2.0-only
#include "report/traced_tasks.h"

#include <errno.h>
#include <string.h>

#include "base/bounds.h"
#include "base/text.h"
#include "calls/gate_path.h"

/* The time of a branch may be so much older than the branch, ns: the trace tells the time now and then only. */
#define LATE 5000

void traced_task__free(struct traced_task *task)
{
	call_stack__release(&task->stack);
	call_tree__clear(&task->tree);
	task_stats__release(&task->stats);
	task_paths__release(&task->paths);
	call_path__release(&task->samples);
	buf__release(&task->sample_list);
	off_times__release(&task->off);
	free(task->name);
	free(task);
}

static void release_task(void *object)
{
	traced_task__free(object);
}

void traced_tasks__release(struct traced_tasks *tasks)
{
	id_hash__release(&tasks->hash, release_task);
	free(tasks->hash.slots);
	*tasks = (struct traced_tasks){0};
}

struct wanted_windows {
	const struct traced_tasks *tasks;
	int32_t tid;
};

static bool is_of_lower_task(const void *ctx, size_t i)
{
	const struct wanted_windows *wanted = ctx;

	return wanted->tasks->begins[i].tid < wanted->tid;
}

/* Finds the first window of a task; without one it is that of another task, or none. */
static size_t first_window(const struct traced_tasks *tasks, int32_t tid)
{
	return bounds__lower(tasks->nr_begins, is_of_lower_task, &(struct wanted_windows){tasks, tid});
}

/* Makes the stack of a task, with what listens to it. Returns 0 or -ENOMEM. */
static int init_stack(const struct traced_tasks *tasks, struct traced_task *task)
{
	call_tree__init(&task->tree);
	task->stats.stats = tasks->stats;
	if (tasks->stats)
		call_stack__init(&task->stack, &function_stats_observer, &task->stats);
	else if (tasks->paths)
		call_stack__init(&task->stack, &call_paths_observer, &task->paths);
	else
		call_stack__init(&task->stack, &call_tree_observer, &task->tree);
	return tasks->paths ? task_paths__init(&task->paths, tasks->paths) : 0;
}

static struct traced_task *new_task(struct traced_tasks *tasks, uint32_t id)
{
	struct traced_task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->node.id = id;
	if (!init_stack(tasks, task) && !id_hash__add(&tasks->hash, &task->node))
		return task;
	release_task(task);
	return NULL;
}

/* Finds the task @tid, or adds it; NULL if there is no memory. */
static struct traced_task *get_task(struct traced_tasks *tasks, int32_t tid, int32_t cpu)
{
	uint32_t id = (uint32_t)(tid ? tid : -1 - cpu);
	struct traced_task *task = id_hash__find(&tasks->hash, id);

	if (!task)
		task = new_task(tasks, id);
	if (task && task->tid != tid) {
		task->tid = tid;
		task->first = task->next = first_window(tasks, tid);
	}
	return task;
}

int traced_tasks__name(struct traced_tasks *tasks, int32_t tid, const char *name)
{
	struct traced_task *task;
	char *copy;

	/* The idle tasks have no name of their own. */
	if (!tid)
		return 0;
	task = get_task(tasks, tid, 0);
	copy = task ? text__printable(name) : NULL;
	if (!copy)
		return -ENOMEM;
	free(task->name);
	task->name = copy;
	return 0;
}

/* Marks the time from the end of the task's trace to its next begin. */
static int end_gap(struct traced_task *task, uint64_t time)
{
	uint64_t ended = task->ended;

	task->ended = 0;
	return ended && task->stack.nr ? call_stack__mark(&task->stack, CALL_MARK_GAP, ended, time, NULL) : 0;
}

/* Hands over the calls of the windows from task->first up to @end. */
static int take_windows(const struct traced_tasks *tasks, struct traced_task *task, size_t end)
{
	int err = 0;

	if (!tasks->take_window)
		return 0;
	if (end > task->first)
		err = tasks->take_window(tasks->ctx, task, &tasks->begins[task->first], end - task->first);
	call_tree__clear(&task->tree);
	return err;
}

/* Leaves the calls of the window before, if the trace begins for a new one of the task that is not inside of it. */
static int begin_window(const struct traced_tasks *tasks, struct traced_task *task, uint64_t time)
{
	size_t next = task->next, first = task->next;
	uint64_t begin;
	int err;

	while (next < tasks->nr_begins && tasks->begins[next].tid == task->tid &&
	       tasks->begins[next].time <= time + LATE)
		next++;
	task->next = next;
	if (next == first)
		return 0;
	begin = tasks->begins[next - 1].time;
	if (first > task->first && tasks->begins[task->first].end > begin)
		return 0;
	/* The trace did not begin anew for windows that were inside of the one before. */
	while (first < next - 1 && tasks->begins[first].end <= begin)
		first++;
	err = call_stack__leave(&task->stack, 0, time);
	if (!err)
		err = take_windows(tasks, task, first);
	task->first = first;
	return err;
}

/* A task that went away from a CPU in this function of the kernel comes back elsewhere, untraced, if the trace begins anew. */
static int leave_switch(struct traced_task *task, const struct function_names *names, uint64_t time)
{
	size_t nr = task->stack.nr;

	if (!nr ||
	    strcmp(function_names__get(names, task->stack.frames[nr - 1].function)->name, "__switch_to"))
		return 0;
	return call_stack__leave(&task->stack, nr - 1, time);
}

int traced_tasks__branch(struct traced_tasks *tasks, const struct branch *b)
{
	struct traced_task *task = get_task(tasks, b->tid, b->cpu);
	int err;

	if (!task)
		return -ENOMEM;
	task->pid = b->pid;
	task->has_branches = true;
	task->last = b->time;
	task->tree.cpu = b->cpu;
	err = end_gap(task, b->time);
	if (!err && (b->flags & BRANCH_BEGIN))
		err = begin_window(tasks, task, b->time);
	if (!err && (b->flags & BRANCH_BEGIN))
		err = leave_switch(task, tasks->names, b->time);
	if (!err)
		err = call_stack__branch(&task->stack, b);
	if (err || !(b->flags & BRANCH_END))
		return err;
	task->ended = b->time;
	return call_stack__leave(&task->stack, gate_path__keep(&task->stack, tasks->names), b->time);
}

int traced_tasks__sample(struct traced_tasks *tasks, const struct sample *sample,
			 const struct sample_frame *frames)
{
	struct traced_task *task = get_task(tasks, sample->tid, sample->cpu);
	struct task_sample kept = {.time = sample->time, .cpu = sample->cpu};

	if (!task)
		return -ENOMEM;
	task->pid = sample->pid;
	kept.path = sample_paths__add(&task->samples, tasks->names, sample, frames);
	if (!kept.path)
		return -ENOMEM;
	if (tasks->keeps_samples)
		buf__add(&task->sample_list, &kept, sizeof(kept));
	return buf__error(&task->sample_list);
}

static int by_sample_time(const void *a, const void *b)
{
	const struct task_sample *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

void traced_task__keep_samples(struct traced_task *task, uint64_t begin, uint64_t end)
{
	struct task_sample *list = (struct task_sample *)(void *)task->sample_list.data;
	size_t nr, kept = 0;

	(void)traced_task__samples(task, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (list[i].time >= begin && list[i].time <= end)
			list[kept++] = list[i];
	}
	buf__truncate(&task->sample_list, kept * sizeof(*list));
	if (kept)
		qsort(list, kept, sizeof(*list), by_sample_time);
}

int traced_tasks__switch(struct traced_tasks *tasks, const struct task_switch *s)
{
	struct traced_task *task = s->tid ? get_task(tasks, s->tid, s->cpu) : NULL;

	if (!s->tid)
		return 0;
	return task ? off_times__switch(&task->off, s) : -ENOMEM;
}

int traced_tasks__error(struct traced_tasks *tasks, int32_t tid, int32_t cpu, uint64_t time, const char *text)
{
	struct traced_task *task = get_task(tasks, tid, cpu);

	if (!task)
		return -ENOMEM;
	task->tree.cpu = cpu;
	call_stack__lose(&task->stack);
	return call_stack__mark(&task->stack, CALL_MARK_ERROR, time, time, text);
}

static int compare(const void *a, const void *b)
{
	const struct traced_task *x = *(struct traced_task *const *)a, *y = *(struct traced_task *const *)b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

struct traced_task **traced_tasks__list(const struct traced_tasks *tasks)
{
	struct traced_task **list = calloc(tasks->hash.nr + 1, sizeof(*list));

	if (!list)
		return NULL;
	id_hash__list(&tasks->hash, (void **)list);
	qsort(list, tasks->hash.nr, sizeof(*list), compare);
	return list;
}

void traced_tasks__begin_capture(struct traced_tasks *tasks, const struct window_begin *begins, size_t nr)
{
	tasks->begins = begins;
	tasks->nr_begins = nr;
	for (size_t i = 0; i < tasks->hash.nr_slots; i++) {
		for (struct id_node *node = tasks->hash.slots[i]; node; node = node->next) {
			struct traced_task *task = (struct traced_task *)node;

			task->first = task->next = first_window(tasks, task->tid);
		}
	}
}

int traced_tasks__end_capture(struct traced_tasks *tasks)
{
	_cleanup_free_ struct traced_task **list = traced_tasks__list(tasks);
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < tasks->hash.nr; i++) {
		err = call_stack__leave(&list[i]->stack, 0, list[i]->last);
		list[i]->stack.is_lost = false;
		list[i]->ended = 0;
	}
	return err;
}

static void keep_task(void *task)
{
}

int traced_tasks__take(struct traced_tasks *tasks, struct buf *list)
{
	_cleanup_free_ struct traced_task **all = traced_tasks__list(tasks);

	if (!all)
		return -ENOMEM;
	buf__add(list, all, tasks->hash.nr * sizeof(*all));
	if (buf__error(list))
		return buf__error(list);
	id_hash__release(&tasks->hash, keep_task);
	return 0;
}

int traced_tasks__finish(struct traced_tasks *tasks)
{
	_cleanup_free_ struct traced_task **list = traced_tasks__list(tasks);
	int err = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; !err && i < tasks->hash.nr; i++)
		err = take_windows(tasks, list[i], list[i]->next);
	return err;
}
