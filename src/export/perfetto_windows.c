// SPDX-License-Identifier: GPL-2.0-only
#include "export/perfetto_windows.h"

#include <errno.h>

/* A track, and until when it has a window. */
struct lane {
	uint64_t uuid, end;
};

struct lanes {
	struct packet_writer *w;
	struct lane *list;
	size_t nr;
	uint64_t parent, *uuid;
};

static void add_notes(struct perfetto_notes *notes, const struct window *window)
{
	static const char *const names[] = {"arg0", "arg1", "arg2", "arg3", "arg4", "arg5"};

	_Static_assert(ARRAY_SIZE(names) + 4 <= PERFETTO_NOTES, "there is room for all notes");
	perfetto_notes__number(notes, "window", window->number);
	for (size_t i = 0; window->has_args && i < ARRAY_SIZE(names); i++)
		perfetto_notes__pointer(notes, names[i], window->args[i]);
	if (window->result)
		perfetto_notes__text(notes, "ret", window->result);
	if (window->off)
		perfetto_notes__number(notes, "off_cpu_ns", window->off);
	if (window->moves)
		perfetto_notes__number(notes, "moves", window->moves);
}

static int add_lane(struct lanes *lanes)
{
	struct lane *grown = reallocarray(lanes->list, lanes->nr + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	lanes->list = grown;
	lanes->list[lanes->nr++] = (struct lane){.uuid = (*lanes->uuid)++};
	return packet__named_track(lanes->w, lanes->list[lanes->nr - 1].uuid, lanes->parent, "windows");
}

/* Finds a track that is free when @window begins, or adds one. */
static int find_lane(struct lanes *lanes, const struct window *window, struct lane **ret)
{
	size_t i = 0;
	int err = 0;

	while (i < lanes->nr && lanes->list[i].end > window->begin)
		i++;
	if (i == lanes->nr)
		err = add_lane(lanes);
	if (!err)
		*ret = &lanes->list[i];
	return err;
}

/* A window whose end was not seen has none: it is shown until the end of the trace. */
static int write_window(struct lanes *lanes, const struct window *window)
{
	struct perfetto_notes notes = {.nr = 0};
	struct lane *lane;
	int err = find_lane(lanes, window, &lane);

	if (err)
		return err;
	add_notes(&notes, window);
	lane->end = window->is_over ? window->begin + window__duration(window) : UINT64_MAX;
	err = packet__named_event(lanes->w,
				  &(struct named_event){.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN,
							.track = lane->uuid,
							.time = window->begin,
							.category = PACKET_WINDOW,
							.name = window->name,
							.notes = &notes});
	if (err || !window->is_over)
		return err;
	return packet__named_event(lanes->w,
				   &(struct named_event){.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END,
							 .track = lane->uuid,
							 .time = lane->end});
}

int perfetto_windows__write(struct packet_writer *w, const struct window *const *windows, size_t nr,
			    uint64_t parent, uint64_t *uuid)
{
	struct lanes lanes = {.w = w, .parent = parent, .uuid = uuid};
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		err = write_window(&lanes, windows[i]);
	free(lanes.list);
	return err;
}
