// SPDX-License-Identifier: GPL-2.0-only
#include "export/perfetto_samples.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

static const char *name_of(const struct perfetto_samples *s, const struct call_path *path)
{
	return function_names__get(s->names, path->function)->name;
}

/* Returns the path of the sample's event, which is in the place of a first caller. */
static const struct call_path *event_of(const struct call_path *path)
{
	while (path->parent->parent)
		path = path->parent;
	return path;
}

/* Lists the functions of a path as --folded does, the first caller first: "main;read;vfs_read_[k]". Returns 0 or -ENOMEM. */
static int write_stack(const struct perfetto_samples *s, const struct call_path *path, struct buf *to)
{
	const struct call_path *stack[SAMPLE_FRAMES];
	size_t nr = 0;

	for (; path->parent->parent; path = path->parent)
		stack[nr++] = path;
	while (nr-- > 0) {
		const char *name = name_of(s, stack[nr]);

		buf__add(to, name, strlen(name));
		if (stack[nr]->is_kernel)
			buf__add(to, "_[k]", 4);
		if (nr)
			buf__add(to, ";", 1);
	}
	buf__add(to, "", 1);
	return buf__error(to);
}

/* Gives a path its number, at its first time, and writes it. */
static int number_path(struct perfetto_samples *s, struct call_path *path)
{
	_cleanup_(buf__release) struct buf stack = {0};
	_cleanup_free_ char *utf8 = NULL;
	int err;

	if (path->number)
		return 0;
	err = write_stack(s, path, &stack);
	if (err)
		return err;
	utf8 = text__utf8((const char *)stack.data);
	if (!utf8)
		return -ENOMEM;
	path->number = ++s->nr_paths;
	return packet__text(s->w, path->number, utf8);
}

static int write_sample(struct perfetto_samples *s, const struct task_sample *sample, uint64_t track)
{
	_cleanup_free_ char *name = text__utf8(name_of(s, sample->path)),
			    *event = text__utf8(name_of(s, event_of(sample->path)));
	struct perfetto_notes notes = {.nr = 0};
	int err = name && event ? number_path(s, sample->path) : -ENOMEM;

	if (err)
		return err;
	perfetto_notes__text(&notes, "event", event);
	if (sample->cpu >= 0)
		perfetto_notes__number(&notes, "cpu", (uint32_t)sample->cpu);
	perfetto_notes__interned(&notes, "stack", sample->path->number);
	return packet__named_event(s->w,
				   &(struct named_event){.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT,
							 .track = track,
							 .time = sample->time,
							 .category = PACKET_SAMPLE,
							 .name = name,
							 .notes = &notes});
}

int perfetto_samples__write(struct perfetto_samples *samples, const struct traced_task *task, uint64_t parent,
			    uint64_t *uuid)
{
	uint64_t track = *uuid;
	size_t nr;
	const struct task_sample *list = traced_task__samples(task, &nr);
	int err;

	if (!nr)
		return 0;
	(*uuid)++;
	err = packet__named_track(samples->w, track, parent, "samples");
	for (size_t i = 0; !err && i < nr; i++)
		err = write_sample(samples, &list[i], track);
	return err;
}
