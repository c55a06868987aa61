// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>

#include "gate_tasks.h"

static uint32_t hash_addr(uint64_t addr)
{
	return (uint32_t)((addr >> 6) * 0x9e3779b97f4a7c15ull >> 32);
}

static struct gate_task **find_slot(struct gate_task **slot, uint32_t nr_slots, uint64_t addr)
{
	uint32_t i = hash_addr(addr) & (nr_slots - 1);

	while (slot[i] && slot[i]->addr != addr)
		i = (i + 1) & (nr_slots - 1);
	return &slot[i];
}

static int gate_tasks__grow(struct gate_tasks *tasks)
{
	uint32_t nr_slots = tasks->nr_slots ? 2 * tasks->nr_slots : 256;
	struct gate_task **slot = calloc(nr_slots, sizeof(struct gate_task *));

	if (!slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < tasks->nr_slots; i++)
		if (tasks->slot[i])
			*find_slot(slot, nr_slots, tasks->slot[i]->addr) = tasks->slot[i];
	free(tasks->slot);
	tasks->slot = slot;
	tasks->nr_slots = nr_slots;
	return 0;
}

static struct gate_task *gate_tasks__add(struct gate_tasks *tasks, struct gate_task **slot, uint64_t addr)
{
	struct gate_task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->addr = addr;
	*slot = task;
	tasks->nr++;
	return task;
}

struct gate_task *gate_tasks__get(struct gate_tasks *tasks, uint64_t addr)
{
	struct gate_task **slot;

	if (2 * tasks->nr >= tasks->nr_slots && gate_tasks__grow(tasks))
		return NULL;
	slot = find_slot(tasks->slot, tasks->nr_slots, addr);
	return *slot ? *slot : gate_tasks__add(tasks, slot, addr);
}

void gate_task__reset(struct gate_task *task, uint32_t pid)
{
	uint64_t addr = task->addr;

	record_list__release(&task->path);
	record_list__release(&task->own);
	*task = (struct gate_task){.addr = addr, .pid = pid, .known = true};
}

void gate_tasks__release(struct gate_tasks *tasks)
{
	for (uint32_t i = 0; i < tasks->nr_slots; i++) {
		if (!tasks->slot[i])
			continue;
		record_list__release(&tasks->slot[i]->path);
		record_list__release(&tasks->slot[i]->own);
		free(tasks->slot[i]);
	}
	free(tasks->slot);
	*tasks = (struct gate_tasks){0};
}
