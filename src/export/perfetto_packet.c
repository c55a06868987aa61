// SPDX-License-Identifier: GPL-2.0-only
#include "export/perfetto_packet.h"

#include <errno.h>
#include <string.h>

/* The packets are one sequence: what is interned in one holds for those behind it. */
#define SEQUENCE 1
#define STATE_CLEARED 1
#define NEEDS_STATE 2

#define PACKET_TAG 0x0a /* Trace.packet: field 1, bytes with their length */
#define VARINT_MAX 10

/* Writes a number as protobuf does: seven bits a byte, the lowest first. */
static void write_varint(FILE *to, size_t value)
{
	while (value >= 0x80) {
		fputc((int)(value & 0x7f) | 0x80, to);
		value >>= 7;
	}
	fputc((int)value, to);
}

static int write_packet(struct packet_writer *w, Perfetto__TracePacket *packet, uint32_t flags)
{
	size_t len;

	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = SEQUENCE;
	packet->has_sequence_flags = true;
	packet->sequence_flags = flags;
	len = perfetto__trace_packet__get_packed_size(packet);
	buf__truncate(&w->bytes, 0);
	buf__add(&w->bytes, NULL, len);
	if (buf__error(&w->bytes))
		return buf__error(&w->bytes);
	perfetto__trace_packet__pack(packet, w->bytes.data);
	fputc(PACKET_TAG, w->to);
	write_varint(w->to, len);
	fwrite(w->bytes.data, 1, len, w->to);
	return 0;
}

int packet__begin(struct packet_writer *w)
{
	static const char *const names[] = {
		[PACKET_KERNEL] = "kernel", [PACKET_USER] = "user",	[PACKET_NOT_TRACED] = "not traced",
		[PACKET_ERROR] = "error",   [PACKET_WINDOW] = "window", [PACKET_TRIGGER] = "trigger",
		[PACKET_TASK] = "task",	    [PACKET_SAMPLE] = "sample",
	};
	Perfetto__EventCategory categories[ARRAY_SIZE(names) - PACKET_KERNEL], *list[ARRAY_SIZE(categories)];
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	for (size_t i = 0; i < ARRAY_SIZE(categories); i++) {
		perfetto__event_category__init(&categories[i]);
		categories[i].has_iid = true;
		categories[i].iid = PACKET_KERNEL + i;
		/* libprotobuf-c does not change it, but its type does not say so. */
		categories[i].name = (char *)(uintptr_t)names[PACKET_KERNEL + i];
		list[i] = &categories[i];
	}
	data.n_event_categories = ARRAY_SIZE(list);
	data.event_categories = list;
	packet.interned_data = &data;
	return write_packet(w, &packet, STATE_CLEARED);
}

int packet__name(struct packet_writer *w, uint64_t iid, const char *name)
{
	Perfetto__EventName event_name = PERFETTO__EVENT_NAME__INIT, *list[] = {&event_name};
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	_cleanup_free_ char *copy = strdup(name);

	if (!copy)
		return -ENOMEM;
	event_name.has_iid = true;
	event_name.iid = iid;
	event_name.name = copy;
	data.n_event_names = ARRAY_SIZE(list);
	data.event_names = list;
	packet.interned_data = &data;
	return write_packet(w, &packet, NEEDS_STATE);
}

int packet__text(struct packet_writer *w, uint64_t iid, const char *text)
{
	Perfetto__InternedString string = PERFETTO__INTERNED_STRING__INIT, *list[] = {&string};
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	string.has_iid = string.has_str = true;
	string.iid = iid;
	/* libprotobuf-c does not change it, but its type does not say so. */
	string.str.data = (uint8_t *)(uintptr_t)text;
	string.str.len = strlen(text);
	data.n_debug_annotation_string_values = ARRAY_SIZE(list);
	data.debug_annotation_string_values = list;
	packet.interned_data = &data;
	return write_packet(w, &packet, NEEDS_STATE);
}

int packet__track(struct packet_writer *w, Perfetto__TrackDescriptor *track)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	packet.track_descriptor = track;
	return write_packet(w, &packet, NEEDS_STATE);
}

int packet__event(struct packet_writer *w, uint64_t time, enum packet_category category,
		  Perfetto__TrackEvent *event)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	uint64_t categories[] = {category};

	event->n_category_iids = category ? 1 : 0;
	event->category_iids = categories;
	packet.has_timestamp = true;
	packet.timestamp = time;
	packet.track_event = event;
	return write_packet(w, &packet, NEEDS_STATE);
}

/* libprotobuf-c changes no name, but its types do not say so. */
static char *as_field(const char *name)
{
	return (char *)(uintptr_t)name;
}

int packet__named_track(struct packet_writer *w, uint64_t uuid, uint64_t parent, const char *name)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

	track.has_uuid = true;
	track.uuid = uuid;
	track.has_parent_uuid = parent != 0;
	track.parent_uuid = parent;
	track.name = as_field(name);
	return packet__track(w, &track);
}

int packet__named_event(struct packet_writer *w, const struct named_event *named)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	event.has_type = event.has_track_uuid = true;
	event.type = named->type;
	event.track_uuid = named->track;
	event.name = as_field(named->name);
	if (named->notes)
		perfetto_notes__set(named->notes, &event);
	return packet__event(w, named->time, named->category, &event);
}

int packet__shown(struct packet_writer *w, uint64_t from, uint64_t to)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__UiState state = PERFETTO__UI_STATE__INIT;

	state.has_timeline_start_ts = state.has_timeline_end_ts = true;
	state.timeline_start_ts = (int64_t)from;
	state.timeline_end_ts = (int64_t)to;
	packet.ui_state = &state;
	return write_packet(w, &packet, NEEDS_STATE);
}

void packet__release(struct packet_writer *w)
{
	buf__release(&w->bytes);
}
