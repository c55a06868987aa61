// SPDX-License-Identifier: GPL-2.0-only
#include "export/perfetto_trigger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* So long before the trigger, and behind it, is shown first, ns. */
#define SHOWN_BEFORE 1000000
#define SHOWN_BEHIND 100000

/* A snapshot's trace of one CPU. */
struct cpu_part {
	uint64_t trigger;
	const struct snapshot_cpu_time *cpu;
};

static int write_trigger(struct packet_writer *w, const struct snapshot_line *snapshot, uint64_t uuid)
{
	struct perfetto_notes notes = {.nr = 0};

	perfetto_notes__text(&notes, "time", snapshot->time);
	if (snapshot->event)
		perfetto_notes__text(&notes, "event", snapshot->event);
	if (snapshot->has_duration)
		perfetto_notes__number(&notes, "duration_ns", snapshot->duration);
	if (snapshot->comm) {
		perfetto_notes__text(&notes, "comm", snapshot->comm);
		perfetto_notes__number(&notes, "tid", (uint32_t)snapshot->tid);
		perfetto_notes__number(&notes, "cpu", (uint32_t)snapshot->cpu);
	}
	perfetto_notes__text(&notes, "snapshot", snapshot->name);
	return packet__named_event(w, &(struct named_event){.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
							    .track = uuid,
							    .time = snapshot->trigger,
							    .category = PACKET_TRIGGER,
							    .name = snapshot->rule,
							    .notes = &notes});
}

static int write_slice(struct packet_writer *w, uint64_t uuid, const char *name,
		       enum packet_category category, uint64_t from, uint64_t to)
{
	int err;

	if (from == to)
		return 0;
	err = packet__named_event(w,
				  &(struct named_event){.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
							.track = uuid,
							.time = from,
							.category = category,
							.name = name});
	if (err)
		return err;
	return packet__named_event(
		w, &(struct named_event){
			   .type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, .track = uuid, .time = to});
}

/* Begins the track of a CPU. */
static int begin_track(struct packet_writer *w, int32_t cpu, uint64_t uuid)
{
	char name[32];

	snprintf(name, sizeof(name), "trace of CPU %" PRId32, cpu);
	return packet__named_track(w, uuid, 0, name);
}

/* Writes what a snapshot has of a CPU. It begins at @from at the earliest, and *@from goes to where it ends. */
static int write_part(struct packet_writer *w, const struct cpu_part *part, uint64_t uuid, uint64_t *from)
{
	uint64_t trigger = part->trigger > *from ? part->trigger : *from, covered = part->cpu->covered;
	uint64_t begin = part->trigger - (covered < part->trigger ? covered : part->trigger);
	int err = write_slice(w, uuid, "trace", PACKET_TRIGGER, begin > *from ? begin : *from, trigger);

	*from = trigger + part->cpu->blind;
	if (err)
		return err;
	return write_slice(w, uuid, "[without trace: snapshot]", PACKET_NOT_TRACED, trigger, *from);
}

static int by_cpu(const void *a, const void *b)
{
	const struct cpu_part *x = a, *y = b;

	if (x->cpu->cpu != y->cpu->cpu)
		return x->cpu->cpu < y->cpu->cpu ? -1 : 1;
	return (x->trigger > y->trigger) - (x->trigger < y->trigger);
}

/* Lists what the snapshots have of the CPUs, by CPU and trigger, for the caller to free; NULL: there is no memory. */
static struct cpu_part *list_parts(const struct snapshot_line *const *snapshots, size_t nr, size_t *nr_parts)
{
	struct cpu_part *parts;
	size_t max = 0;

	for (size_t i = 0; i < nr; i++)
		max += snapshots[i]->nr_cpus;
	parts = calloc(max + 1, sizeof(*parts));
	*nr_parts = 0;
	for (size_t i = 0; parts && i < nr; i++) {
		for (size_t k = 0; snapshots[i]->trigger && k < snapshots[i]->nr_cpus; k++)
			parts[(*nr_parts)++] = (struct cpu_part){.trigger = snapshots[i]->trigger,
								 .cpu = &snapshots[i]->cpus[k]};
	}
	if (parts)
		qsort(parts, *nr_parts, sizeof(*parts), by_cpu);
	return parts;
}

static int write_cpus(struct packet_writer *w, const struct snapshot_line *const *snapshots, size_t nr,
		      uint64_t *uuid)
{
	size_t nr_parts;
	_cleanup_free_ struct cpu_part *parts = list_parts(snapshots, nr, &nr_parts);
	uint64_t track = 0, from = 0;
	int err = parts ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr_parts; i++) {
		if (!i || parts[i - 1].cpu->cpu != parts[i].cpu->cpu) {
			from = 0;
			track = (*uuid)++;
			err = begin_track(w, parts[i].cpu->cpu, track);
		}
		if (!err)
			err = write_part(w, &parts[i], track, &from);
	}
	return err;
}

static int write_triggers(struct packet_writer *w, const struct snapshot_line *const *snapshots, size_t nr,
			  uint64_t uuid)
{
	int err = packet__named_track(w, uuid, 0, "trigger");

	for (size_t i = 0; !err && i < nr; i++) {
		if (snapshots[i]->trigger)
			err = write_trigger(w, snapshots[i], uuid);
	}
	return err;
}

static bool have_triggers(const struct snapshot_line *const *snapshots, size_t nr)
{
	size_t i = 0;

	while (i < nr && !snapshots[i]->trigger)
		i++;
	return i < nr;
}

int perfetto_trigger__write(struct packet_writer *w, const struct snapshot_line *const *snapshots, size_t nr,
			    uint64_t *uuid)
{
	int err = 0;

	if (!have_triggers(snapshots, nr))
		return 0;
	if (nr == 1) {
		uint64_t trigger = snapshots[0]->trigger;

		err = packet__shown(w, trigger - (trigger < SHOWN_BEFORE ? trigger : SHOWN_BEFORE),
				    trigger + SHOWN_BEHIND);
	}
	if (!err)
		err = write_triggers(w, snapshots, nr, (*uuid)++);
	return err ? err : write_cpus(w, snapshots, nr, uuid);
}
