// SPDX-License-Identifier: GPL-2.0-only
#include "sideband/task_table.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/id_hash.h"
#include "perfdata/record.h"
#include "sideband/namespaces.h"
#include "sideband/task_maps.h"

#define COMM_MAX 16 /* TASK_COMM_LEN */

struct process {
	struct id_node node;
	uint32_t ppid;
	bool forked;   /* its FORK was seen, or it lived before the records */
	bool executed; /* its mappings are no longer its parent's */
	bool bounded;  /* it had the most when room ran out: it gets its share only */
	struct task_maps *maps;
	struct task *tasks;
};

struct task {
	struct id_node node;
	struct process *process;
	struct task *next; /* the next task of the process */
	struct namespaces *namespaces;
	char comm[COMM_MAX];
};

struct task_table {
	struct id_hash processes;
	struct id_hash tasks;
	size_t max_maps; /* bytes of records, like the next member */
	size_t maps;	 /* sum of all processes */
	uint64_t left_out;
};

static void process__free(void *node)
{
	struct process *process = node;

	task_maps__release(process->maps);
	free(process);
}

static void task__free(void *node)
{
	struct task *task = node;

	namespaces__release(task->namespaces);
	free(task);
}

/* Gives the process these mappings, and takes over the reference. */
static void set_maps(struct task_table *table, struct process *process, struct task_maps *maps)
{
	table->maps += task_maps__bytes(maps) - task_maps__bytes(process->maps);
	task_maps__release(process->maps);
	process->maps = maps;
}

static struct process *find_largest(const struct task_table *table)
{
	struct process *largest = NULL;

	for (size_t i = 0; i < table->processes.nr_slots; i++)
		for (struct id_node *node = table->processes.slots[i]; node; node = node->next) {
			struct process *process = (struct process *)(void *)node;

			if (!largest || task_maps__bytes(process->maps) > task_maps__bytes(largest->maps))
				largest = process;
		}
	return largest;
}

/*
 * Drops all mappings of the process that has most, until there is room. A process loses them only once,
 * unless no process has more than its share.
 */
static void make_room(struct task_table *table)
{
	while (table->maps > table->max_maps) {
		struct process *largest = find_largest(table);

		if (!largest)
			return;
		table->left_out += task_maps__nr(largest->maps);
		set_maps(table, largest, NULL);
		largest->bounded = true;
	}
}

/* Tells whether the process has used up its share. All shares together are half of the room. */
static bool has_its_share(const struct task_table *table, const struct process *process)
{
	return task_maps__bytes(process->maps) >= table->max_maps / 2 / table->processes.nr;
}

static void remove_process(struct task_table *table, struct process *process)
{
	set_maps(table, process, NULL);
	id_hash__remove(&table->processes, &process->node);
	process__free(process);
}

/* Removes a task, and its process if it was the last one. */
static void remove_task(struct task_table *table, struct task *task)
{
	struct process *process = task->process;
	struct task **at = &process->tasks;

	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
	id_hash__remove(&table->tasks, &task->node);
	task__free(task);
	if (!process->tasks)
		remove_process(table, process);
}

static struct process *add_process(struct task_table *table, uint32_t pid)
{
	struct process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->node.id = pid;
	if (!id_hash__add(&table->processes, &process->node))
		return process;
	free(process);
	return NULL;
}

static struct task *add_task(struct task_table *table, struct process *process, uint32_t tid)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->node.id = tid;
	if (id_hash__add(&table->tasks, &task->node)) {
		free(task);
		return NULL;
	}
	task->process = process;
	task->next = process->tasks;
	process->tasks = task;
	return task;
}

/* Returns the task, and adds it if it is not known. Returns NULL without memory. */
static struct task *get_task(struct task_table *table, uint32_t pid, uint32_t tid)
{
	struct task *task = id_hash__find(&table->tasks, tid);
	struct process *process;

	if (task && task->process->node.id == pid)
		return task;
	if (task) /* its number was used again */
		remove_task(table, task);
	process = id_hash__find(&table->processes, pid);
	if (!process)
		process = add_process(table, pid);
	if (!process)
		return NULL;
	task = add_task(table, process, tid);
	if (!task && !process->tasks)
		remove_process(table, process);
	return task;
}

/* Removes all tasks but @keep. That may be NULL, and then the process is removed, too. */
static void remove_tasks(struct task_table *table, struct process *process, const struct task *keep)
{
	struct task *next;

	for (struct task *task = process->tasks; task; task = next) {
		next = task->next;
		if (task != keep)
			remove_task(table, task);
	}
}

static int put_all(struct task_maps **maps, const struct task_maps *from)
{
	struct record_mmap map;
	int err = 0;

	for (size_t i = 0; !err && i < task_maps__nr(from); i++) {
		task_maps__get(from, i, &map);
		err = task_maps__put(maps, &map);
	}
	return err;
}

/*
 * Gives the child its parent's mappings. Those that came with the child's own records before its FORK cover
 * them.
 */
static int inherit_maps(struct task_table *table, struct process *child, const struct process *parent)
{
	struct task_maps *maps = task_maps__share(parent->maps);
	int err = put_all(&maps, child->maps);

	if (err) {
		task_maps__release(maps);
		return err;
	}
	child->bounded |= parent->bounded;
	set_maps(table, child, maps);
	make_room(table);
	return 0;
}

static int fork_process(struct task_table *table, const struct record_task *fork, bool maps_follow)
{
	struct process *parent, *child = id_hash__find(&table->processes, fork->pid);
	struct task *task;

	if (child && child->forked)
		remove_tasks(table, child, NULL);
	task = get_task(table, fork->pid, fork->tid);
	if (!task)
		return -ENOMEM;
	child = task->process;
	child->forked = true;
	child->ppid = fork->ppid;
	parent = id_hash__find(&table->processes, fork->ppid);
	return parent && !maps_follow && !child->executed ? inherit_maps(table, child, parent) : 0;
}

static int apply_fork(struct task_table *table, const struct record_task *fork, uint16_t misc)
{
	const struct task *parent;
	struct task *task;
	int err = 0;

	if (fork->pid != fork->ppid)
		err = fork_process(table, fork, misc & PERF_RECORD_MISC_FORK_EXEC);
	task = err ? NULL : get_task(table, fork->pid, fork->tid);
	if (!task)
		return -ENOMEM;
	parent = id_hash__find(&table->tasks, fork->ptid);
	if (parent && !task->comm[0])
		memcpy(task->comm, parent->comm, COMM_MAX);
	if (parent && !task->namespaces)
		task->namespaces = namespaces__share(parent->namespaces);
	return 0;
}

static void apply_exit(struct task_table *table, const struct record_task *end)
{
	struct task *task = id_hash__find(&table->tasks, end->tid);

	if (task && task->process->node.id == end->pid)
		remove_task(table, task);
}

static int apply_comm(struct task_table *table, uint32_t pid, uint32_t tid, const char *comm, bool exec)
{
	/*
	 * Another task may give a name to one that has just ended, but a task that executes a program lives.
	 */
	struct task *task = exec ? get_task(table, pid, tid) : id_hash__find(&table->tasks, tid);

	if (!task)
		return exec ? -ENOMEM : 0;
	if (task->process->node.id != pid)
		return 0;
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
	if (!exec)
		return 0;
	remove_tasks(table, task->process, task);
	set_maps(table, task->process, NULL);
	task->process->executed = true;
	return 0;
}

/*
 * This record follows the FORK of a task that does not inherit its parent's namespaces, or comes when a task
 * changes its own.
 */
static int apply_namespaces(struct task_table *table, const struct record_namespaces *record)
{
	struct task *task = id_hash__find(&table->tasks, record->tid), *first;

	if (!task || task->process->node.id != record->pid)
		return 0;
	first = id_hash__find(&table->tasks, record->pid);
	return namespaces__set(&task->namespaces, first ? first->namespaces : NULL, record);
}

/* Puts a mapping. If it cannot be kept it leaves a hole, since what was there is gone. */
static int put_map(struct task_table *table, struct process *process, const struct record_mmap *map)
{
	const size_t before = task_maps__bytes(process->maps);
	int err;

	if (process->bounded && has_its_share(table, process)) {
		table->left_out++;
		err = task_maps__cut(&process->maps, map->start, map->start + map->len);
	} else {
		err = task_maps__put(&process->maps, map);
	}
	table->maps += task_maps__bytes(process->maps) - before;
	make_room(table);
	return err;
}

static int apply_mmap(struct task_table *table, struct record_mmap *map)
{
	struct task *task;

	if ((map->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return 0;
	map->misc = PERF_RECORD_MISC_USER;
	task = get_task(table, map->pid, map->tid);
	return task ? put_map(table, task->process, map) : -ENOMEM;
}

static int apply_record(struct task_table *table, const struct perf_event_header *record)
{
	struct record_namespaces namespaces;
	struct record_task task;
	struct record_mmap map;
	uint32_t pid, tid;
	const char *comm;

	if (record__mmap(record, &map))
		return apply_mmap(table, &map);
	comm = record__comm(record, &pid, &tid);
	if (comm)
		return apply_comm(table, pid, tid, comm, record->misc & PERF_RECORD_MISC_COMM_EXEC);
	if (record__namespaces(record, &namespaces))
		return apply_namespaces(table, &namespaces);
	if (!record__task(record, &task))
		return 0;
	if (record->type == PERF_RECORD_FORK)
		return apply_fork(table, &task, record->misc);
	apply_exit(table, &task);
	return 0;
}

int task_table__apply(struct task_table *table, struct span records)
{
	const struct perf_event_header *record;
	size_t pos = 0;
	int err = 0;

	while (!err && (record = record__next(records, &pos)))
		err = apply_record(table, record);
	return err;
}

static void add_task_records(const struct task *task, struct buf *b, size_t trailer)
{
	const struct process *process = task->process;
	struct record_namespaces ns = {.pid = process->node.id, .tid = task->node.id};

	record__add_fork(b, process->node.id, task->node.id, process->ppid, trailer);
	if (task->namespaces) {
		namespaces__get(task->namespaces, &ns);
		record__add_namespaces(b, &ns, trailer);
	}
	if (task->comm[0])
		record__add_comm(b, process->node.id, task->node.id, task->comm, trailer);
}

static void add_process_records(const struct process *process, struct buf *b, size_t trailer)
{
	const uint32_t pid = process->node.id;
	struct record_mmap map;

	for (const struct task *task = process->tasks; task; task = task->next)
		if (task->node.id == pid)
			add_task_records(task, b, trailer);
	for (size_t i = 0; i < task_maps__nr(process->maps); i++) {
		task_maps__get(process->maps, i, &map);
		map.pid = map.tid = pid;
		record__add_mmap2(b, &map, trailer);
	}
	for (const struct task *task = process->tasks; task; task = task->next)
		if (task->node.id != pid)
			add_task_records(task, b, trailer);
}

static int by_id(const void *a, const void *b)
{
	uint32_t x = (*(const struct process *const *)a)->node.id;
	uint32_t y = (*(const struct process *const *)b)->node.id;

	return (x > y) - (x < y);
}

void task_table__add_records(const struct task_table *table, struct buf *b, size_t trailer)
{
	size_t nr = table->processes.nr;
	_cleanup_free_ void **list = calloc(nr + 1, sizeof(*list));

	if (!list) {
		buf__fail(b, -ENOMEM);
		return;
	}
	id_hash__list(&table->processes, list);
	qsort(list, nr, sizeof(*list), by_id);
	for (size_t i = 0; i < nr; i++)
		add_process_records(list[i], b, trailer);
}

static int copy_tasks(struct task_table *to, struct process *process, const struct process *from)
{
	for (const struct task *task = from->tasks; task; task = task->next) {
		struct task *copy = add_task(to, process, task->node.id);

		if (!copy)
			return -ENOMEM;
		copy->namespaces = namespaces__share(task->namespaces);
		memcpy(copy->comm, task->comm, COMM_MAX);
	}
	return 0;
}

static int copy_process(struct task_table *to, const struct process *from)
{
	struct process *process = add_process(to, from->node.id);

	if (!process)
		return -ENOMEM;
	process->ppid = from->ppid;
	process->forked = from->forked;
	process->executed = from->executed;
	process->bounded = from->bounded;
	process->maps = task_maps__share(from->maps);
	return copy_tasks(to, process, from);
}

int task_table__copy(const struct task_table *table, struct task_table **ret)
{
	const size_t nr = table->processes.nr;
	_cleanup_(cleanup__task_table) struct task_table *copy = NULL;
	_cleanup_free_ void **list = calloc(nr + 1, sizeof(*list));
	int err = list ? task_table__new(table->max_maps, &copy) : -ENOMEM;

	if (err)
		return err;
	id_hash__list(&table->processes, list);
	for (size_t i = 0; !err && i < nr; i++)
		err = copy_process(copy, list[i]);
	copy->maps = table->maps;
	copy->left_out = table->left_out;
	if (!err)
		*ret = steal_ptr(copy);
	return err;
}

static bool is_alive(const struct task_table *living, const struct task *task)
{
	const struct task *now = id_hash__find(&living->tasks, task->node.id);

	return now && now->process->node.id == task->process->node.id;
}

static void add_exits(const struct task_table *known, const struct task_table *living,
		      const struct pid_set *told, uint64_t time, struct buf *b, size_t trailer)
{
	_cleanup_free_ void **list = calloc(known->tasks.nr + 1, sizeof(*list));

	if (!list) {
		buf__fail(b, -ENOMEM);
		return;
	}
	id_hash__list(&known->tasks, list);
	for (size_t i = 0; i < known->tasks.nr; i++) {
		const struct task *task = list[i];

		if (!is_alive(living, task) && !pid_set__has(told, task->node.id))
			record__add_exit(b, task->process->node.id, task->node.id, time, trailer);
	}
}

static bool is_told(const struct pid_set *told, const struct process *process)
{
	for (const struct task *task = process->tasks; task; task = task->next)
		if (pid_set__has(told, task->node.id))
			return true;
	return pid_set__has(told, process->node.id);
}

static bool is_known(const struct task_table *known, const struct task *task)
{
	const struct task *then = id_hash__find(&known->tasks, task->node.id);

	return then && then->process->node.id == task->process->node.id && !strcmp(then->comm, task->comm) &&
	       (!task->namespaces || namespaces__are_same(then->namespaces, task->namespaces));
}

/* Tells whether the process still runs the same program, so that it has new threads at most. */
static bool goes_on(const struct task_table *known, const struct process *process)
{
	const struct process *before = id_hash__find(&known->processes, process->node.id);

	for (const struct task *task = process->tasks; task; task = task->next)
		if (task->node.id == process->node.id && !is_known(known, task))
			return false;
	return before && (before->bounded || task_maps__has(before->maps, process->maps));
}

static void add_change(const struct task_table *known, const struct process *process, struct buf *b,
		       size_t trailer)
{
	if (!goes_on(known, process)) {
		add_process_records(process, b, trailer);
		return;
	}
	for (const struct task *task = process->tasks; task; task = task->next)
		if (!is_known(known, task))
			add_task_records(task, b, trailer);
}

void task_table__add_changes(const struct task_table *known, const struct task_table *living,
			     const struct pid_set *told, uint64_t time, struct buf *b, size_t trailer)
{
	size_t nr = living->processes.nr;
	_cleanup_free_ void **list = calloc(nr + 1, sizeof(*list));

	if (!list) {
		buf__fail(b, -ENOMEM);
		return;
	}
	add_exits(known, living, told, time, b, trailer);
	id_hash__list(&living->processes, list);
	for (size_t i = 0; i < nr; i++)
		if (!is_told(told, list[i]))
			add_change(known, list[i], b, trailer);
}

uint64_t task_table__left_out(const struct task_table *table)
{
	return table->left_out;
}

int task_table__new(size_t max, struct task_table **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	(*ret)->max_maps = max;
	return 0;
}

void task_table__free(struct task_table *table)
{
	if (!table)
		return;
	id_hash__release(&table->tasks, task__free);
	id_hash__release(&table->processes, process__free);
	free(table);
}
