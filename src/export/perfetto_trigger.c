// SPDX-License-Identifier: GPL-2.0-only
#include "export/perfetto_trigger.h"

#include <inttypes.h>

#include "export/perfetto_notes.h"

/* So long before the trigger, and behind it, is shown first, ns. */
#define SHOWN_BEFORE 1000000
#define SHOWN_BEHIND 100000

static int write_track(struct packet_writer *w, uint64_t uuid, char *name)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

	track.has_uuid = true;
	track.uuid = uuid;
	track.name = name;
	return packet__track(w, &track);
}

static int write_trigger(struct packet_writer *w, const struct snapshot_line *snapshot, uint64_t uuid)
{
	static char name[] = "trigger";
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	struct perfetto_notes notes = {.nr = 0};
	int err = write_track(w, uuid, name);

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
	perfetto_notes__set(&notes, &event);
	event.has_type = event.has_track_uuid = true;
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT;
	event.track_uuid = uuid;
	event.name = snapshot->rule;
	return packet__event(w, snapshot->trigger, PACKET_TRIGGER, &event);
}

static int write_slice(struct packet_writer *w, uint64_t uuid, char *name, enum packet_category category,
		       uint64_t from, uint64_t to)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	int err;

	if (from == to)
		return 0;
	event.has_type = event.has_track_uuid = true;
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;
	event.track_uuid = uuid;
	event.name = name;
	err = packet__event(w, from, category, &event);
	if (err)
		return err;
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
	event.name = NULL;
	return packet__event(w, to, 0, &event);
}

static int write_cpu(struct packet_writer *w, const struct snapshot_cpu_time *cpu, uint64_t trigger,
		     uint64_t uuid)
{
	static char traced[] = "trace", blind[] = "[without trace: snapshot]";
	char name[32];
	int err;

	snprintf(name, sizeof(name), "trace of CPU %" PRId32, cpu->cpu);
	err = write_track(w, uuid, name);
	if (!err)
		err = write_slice(w, uuid, traced, PACKET_TRIGGER,
				  trigger - (cpu->covered < trigger ? cpu->covered : trigger), trigger);
	if (!err)
		err = write_slice(w, uuid, blind, PACKET_NOT_TRACED, trigger, trigger + cpu->blind);
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
