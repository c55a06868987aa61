// SPDX-License-Identifier: GPL-2.0-only
#include "export/perfetto_trigger.h"

#include <inttypes.h>

/* So long before the trigger, and behind it, is shown first, ns. */
#define SHOWN_BEFORE 1000000
#define SHOWN_BEHIND 100000

static int write_trigger(struct packet_writer *w, const struct snapshot_line *snapshot, uint64_t uuid)
{
	struct perfetto_notes notes = {.nr = 0};
	int err = packet__named_track(w, uuid, 0, "trigger");

	if (err)
		return err;
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

static int write_cpu(struct packet_writer *w, const struct snapshot_cpu_time *cpu, uint64_t trigger,
		     uint64_t uuid)
{
	char name[32];
	int err;

	snprintf(name, sizeof(name), "trace of CPU %" PRId32, cpu->cpu);
	err = packet__named_track(w, uuid, 0, name);
	if (!err)
		err = write_slice(w, uuid, "trace", PACKET_TRIGGER,
				  trigger - (cpu->covered < trigger ? cpu->covered : trigger), trigger);
	if (!err)
		err = write_slice(w, uuid, "[without trace: snapshot]", PACKET_NOT_TRACED, trigger,
				  trigger + cpu->blind);
	return err;
}

int perfetto_trigger__write(struct packet_writer *w, const struct snapshot_line *snapshot, uint64_t *uuid)
{
	uint64_t trigger = snapshot->trigger;
	int err;

	if (!trigger)
		return 0;
	err = packet__shown(w, trigger - (trigger < SHOWN_BEFORE ? trigger : SHOWN_BEFORE),
			    trigger + SHOWN_BEHIND);
	if (!err)
		err = write_trigger(w, snapshot, (*uuid)++);
	for (size_t i = 0; !err && i < snapshot->nr_cpus; i++)
		err = write_cpu(w, &snapshot->cpus[i], trigger, (*uuid)++);
	return err;
}
