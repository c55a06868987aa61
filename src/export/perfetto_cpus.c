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

/* A record of a switch, which captures from the first to the last one may have. */
struct switch_record {
	struct task_switch s;
	uint32_t first_capture, last_capture;
};

static int by_cpu(const void *a, const void *b)
{
	const struct task_switch *x = &((const struct switch_record *)a)->s,
				 *y = &((const struct switch_record *)b)->s;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* One task goes away before the next one comes. */
	if (x->is_out != y->is_out)
		return y->is_out - x->is_out;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->capture > y->capture) - (x->capture < y->capture);
}

static bool is_one(const struct task_switch *a, const struct task_switch *b)
{
	return a->cpu == b->cpu && a->time == b->time && a->is_out == b->is_out && a->tid == b->tid;
}

/* Makes one of the records that several captures have. Returns how many there are then. */
static size_t unite(struct switch_record *list, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (kept && is_one(&list[kept - 1].s, &list[i].s))
			list[kept - 1].last_capture = list[i].last_capture;
		else
			list[kept++] = list[i];
	}
	return kept;
}

/* Lists the records by CPU and time, for the caller to free; NULL: there is no memory. */
static struct switch_record *list_records(const struct exported *exported, size_t *nr)
{
	struct switch_record *list = calloc(exported->nr_switches + 1, sizeof(*list));

	for (size_t i = 0; list && i < exported->nr_switches; i++) {
		const struct task_switch *s = &exported->switches[i];

		list[i] = (struct switch_record){
			.s = *s, .first_capture = s->capture, .last_capture = s->capture};
	}
	if (list) {
		qsort(list, exported->nr_switches, sizeof(*list), by_cpu);
		*nr = unite(list, exported->nr_switches);
	}
	return list;
}

static int compare_tid(const void *key, const void *task)
{
	int32_t tid = *(const int32_t *)key, other = (*(struct traced_task *const *)task)->tid;

	return (tid > other) - (tid < other);
}

/* Tasks are in the order of their numbers. NULL: the task is not one of those that are shown. */
static const struct traced_task *find_task(const struct exported *exported, int32_t tid)
{
	struct traced_task *const *found = exported->nr_tasks
						   ? bsearch(&tid, exported->tasks, exported->nr_tasks,
							     sizeof(*exported->tasks), compare_tid)
						   : NULL;

	return found ? *found : NULL;
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
	size_t nr = 0;
	_cleanup_free_ struct switch_record *list = list_records(exported, &nr);
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr; i++) {
		const struct switch_record *r = &list[i], *last = i ? r - 1 : NULL;
		bool is_first = !last || last->s.cpu != r->s.cpu;

		/* Between two captures that have no record in common nobody knows what ran. */
		if (last && (is_first || r->first_capture > last->last_capture))
			err = end_slice(&c, last->s.time);
		if (!err && is_first)
			err = begin_track(&c, r->s.cpu, uuid);
		if (!err)
			err = write_switch(&c, &r->s);
	}
	return err || !nr ? err : end_slice(&c, list[nr - 1].s.time);
}
