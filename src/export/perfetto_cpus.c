// SPDX-License-Identifier: GPL-2.0-only
#include "export/perfetto_cpus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"

/* The track of a CPU, as far as it is written. */
struct cpu_track {
	struct packet_writer *w;
	const struct exported *exported;
	uint64_t uuid;
	int32_t tid; /* whose slice is open; 0: none is */
};

static int by_cpu(const void *a, const void *b)
{
	const struct task_switch *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* One task goes away before the next one comes. */
	return y->is_out - x->is_out;
}

/* Tasks are in the order of their numbers. NULL: the task is not one of those that are shown. */
static const struct traced_task *find_task(const struct exported *exported, int32_t tid)
{
	size_t low = 0, high = exported->nr_tasks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (exported->tasks[middle]->tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < exported->nr_tasks && exported->tasks[low]->tid == tid ? exported->tasks[low] : NULL;
}

static int end_slice(struct cpu_track *c, uint64_t time)
{
	if (!c->tid)
		return 0;
	c->tid = 0;
	return packet__named_event(c->w,
				   &(struct named_event){.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END,
							 .track = c->uuid,
							 .time = time});
}

static int begin_slice(struct cpu_track *c, const struct task_switch *s)
{
	const struct traced_task *task = find_task(c->exported, s->tid);
	struct perfetto_notes notes = {.nr = 0};
	_cleanup_free_ char *name = NULL;

	if (!s->tid)
		return 0;
	if (task)
		name = text__utf8(exported__name(task));
	else if (asprintf(&name, "tid %" PRId32, s->tid) < 0)
		name = NULL;
	if (!name)
		return -ENOMEM;
	c->tid = s->tid;
	perfetto_notes__number(&notes, "tid", (uint32_t)s->tid);
	return packet__named_event(
		c->w, &(struct named_event){.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
					    .track = c->uuid,
					    .time = s->time,
					    .category = PACKET_TASK,
					    .name = name,
					    .notes = &notes});
}

/* Begins the track of the next CPU. */
static int begin_track(struct cpu_track *c, int32_t cpu, uint64_t *uuid)
{
	char name[32];

	snprintf(name, sizeof(name), "CPU %" PRId32, cpu);
	c->uuid = (*uuid)++;
	return packet__named_track(c->w, c->uuid, 0, name);
}

static int write_switch(struct cpu_track *c, const struct task_switch *s)
{
	int err = 0;

	/* A record may be lost: whoever was here before is gone. */
	if (!s->is_out || s->tid == c->tid)
		err = end_slice(c, s->time);
	return err || s->is_out ? err : begin_slice(c, s);
}

int perfetto_cpus__write(struct packet_writer *w, const struct exported *exported, uint64_t *uuid)
{
	struct cpu_track c = {.w = w, .exported = exported};
	_cleanup_free_ struct task_switch *list = calloc(exported->nr_switches + 1, sizeof(*list));
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < exported->nr_switches; i++)
		list[i] = exported->switches[i];
	if (!err)
		qsort(list, exported->nr_switches, sizeof(*list), by_cpu);
	for (size_t i = 0; !err && i < exported->nr_switches; i++) {
		bool is_first = !i || list[i - 1].cpu != list[i].cpu;

		if (is_first && i)
			err = end_slice(&c, list[i - 1].time);
		if (!err && is_first)
			err = begin_track(&c, list[i].cpu, uuid);
		if (!err)
			err = write_switch(&c, &list[i]);
	}
	if (!err && exported->nr_switches)
		err = end_slice(&c, list[exported->nr_switches - 1].time);
	return err;
}
