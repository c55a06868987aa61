// SPDX-License-Identifier: GPL-2.0-only
#include "export/perfetto_notes.h"

/* libprotobuf-c changes neither names nor texts, but its types do not say so. */
static Perfetto__DebugAnnotation *add(struct perfetto_notes *notes, const char *name)
{
	Perfetto__DebugAnnotation *note = &notes->all[notes->nr];

	perfetto__debug_annotation__init(note);
	note->name = (char *)(uintptr_t)name;
	notes->list[notes->nr++] = note;
	return note;
}

void perfetto_notes__number(struct perfetto_notes *notes, const char *name, uint64_t value)
{
	Perfetto__DebugAnnotation *note = add(notes, name);

	note->has_uint_value = true;
	note->uint_value = value;
}

void perfetto_notes__pointer(struct perfetto_notes *notes, const char *name, uint64_t value)
{
	Perfetto__DebugAnnotation *note = add(notes, name);

	note->has_pointer_value = true;
	note->pointer_value = value;
}

void perfetto_notes__interned(struct perfetto_notes *notes, const char *name, uint64_t iid)
{
	Perfetto__DebugAnnotation *note = add(notes, name);

	note->has_string_value_iid = true;
	note->string_value_iid = iid;
}

void perfetto_notes__text(struct perfetto_notes *notes, const char *name, const char *text)
{
	add(notes, name)->string_value = (char *)(uintptr_t)text;
}

void perfetto_notes__set(struct perfetto_notes *notes, Perfetto__TrackEvent *event)
{
	event->n_debug_annotations = notes->nr;
	event->debug_annotations = notes->list;
}
