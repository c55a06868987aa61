// SPDX-License-Identifier: GPL-2.0-only
#include "export/perfetto.h"

#include <errno.h>
#include <inttypes.h>

#include "base/text.h"
#include "export/perfetto_cpus.h"
#include "export/perfetto_samples.h"
#include "export/perfetto_trigger.h"
#include "export/perfetto_windows.h"

/* Numbers of tracks: those of processes are made of their ids, the others are counted. */
#define PROCESSES (1ull << 32)

struct perfetto {
	struct packet_writer w;
	struct exported *exported;
	struct perfetto_samples samples;
	bool *is_told; /* by function: its name was told; the last one is for what was not traced */
	size_t nr_told;
	size_t window;	/* the first one that is not written yet */
	uint64_t uuid;	/* of the next track */
	uint64_t track; /* of the task's calls */
	uint64_t last;	/* of the last event on it: none may be before it */
	int32_t cpu;	/* where the last call was entered */
};

/* Tells the name of the number @iid - 1, if that is its first time. */
static int tell_name(struct perfetto *p, uint64_t iid, const char *name)
{
	_cleanup_free_ char *utf8 = NULL;

	if (p->is_told[iid - 1])
		return 0;
	p->is_told[iid - 1] = true;
	utf8 = text__utf8(name);
	return utf8 ? packet__name(&p->w, iid, utf8) : -ENOMEM;
}

/* Writes an event of the task's track. */
static int write_event(struct perfetto *p, Perfetto__TrackEvent *event, Perfetto__TrackEvent__Type type,
		       enum packet_category category, uint64_t time)
{
	p->last = time > p->last ? time : p->last;
	event->has_type = event->has_track_uuid = true;
	event->type = type;
	event->track_uuid = p->track;
	return packet__event(&p->w, p->last, category, event);
}

/* Writes the begin of a slice with an interned name. On another CPU than that of the last one it says so. */
static int write_begin(struct perfetto *p, uint64_t iid, const char *name, enum packet_category category,
		       uint64_t time, int32_t cpu)
{
	static char cpu_name[] = "cpu";
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__DebugAnnotation note = PERFETTO__DEBUG_ANNOTATION__INIT, *notes[] = {&note};
	int err = tell_name(p, iid, name);

	if (err)
		return err;
	event.has_name_iid = true;
	event.name_iid = iid;
	if (cpu != p->cpu) {
		note.name = cpu_name;
		note.has_uint_value = true;
		note.uint_value = (uint32_t)cpu;
		event.n_debug_annotations = 1;
		event.debug_annotations = notes;
		p->cpu = cpu;
	}
	return write_event(p, &event, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, category, time);
}

static int write_end(struct perfetto *p, uint64_t time)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	return write_event(p, &event, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, 0, time);
}

static int on_begin(void *ctx, const struct call *call, uint64_t time)
{
	struct perfetto *p = ctx;
	const struct function_names *names = p->exported->names;
	uint64_t iid = (function_names__same(names, call->function) & ~FUNCTION_NAMELESS) + 1;

	return write_begin(p, iid, function_names__get(names, call->function)->name,
			   call->is_kernel ? PACKET_KERNEL : PACKET_USER, time, call->cpu);
}

static int on_end(void *ctx, const struct call *call, uint64_t time)
{
	return write_end(ctx, time);
}

/* An error of the decoder is an instant, with what it said. */
static int write_error(struct perfetto *p, const struct call *mark)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	_cleanup_free_ char *text = text__utf8(mark->text ? mark->text : "error");

	if (!text)
		return -ENOMEM;
	event.name = text;
	return write_event(p, &event, PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT, PACKET_ERROR, mark->begin);
}

static int on_mark(void *ctx, const struct call *mark)
{
	struct perfetto *p = ctx;
	int err;

	if (mark->mark == CALL_MARK_ERROR)
		return write_error(p, mark);
	err = write_begin(p, p->nr_told, "[not traced]", PACKET_NOT_TRACED, mark->begin, p->cpu);
	return err ? err : write_end(p, mark->end);
}

/* The main thread's name is that of the process. */
static int write_process(struct perfetto *p, const struct traced_task *task, char *name)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;

	process.has_pid = true;
	process.pid = task->pid;
	process.process_name = name;
	track.has_uuid = true;
	track.uuid = PROCESSES + (uint32_t)task->pid;
	track.process = &process;
	return packet__track(&p->w, &track);
}

/* Idle tasks, and those whose numbers are not known, are tracks by their name. */
static int write_track(struct perfetto *p, const struct traced_task *task)
{
	_cleanup_free_ char *name = text__utf8(exported__name(task));
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;
	int err = 0;

	if (!name)
		return -ENOMEM;
	if (task->pid <= 0 || task->tid <= 0)
		return packet__named_track(&p->w, p->track, 0, name);
	track.has_uuid = true;
	track.uuid = p->track;
	thread.has_pid = thread.has_tid = true;
	thread.pid = task->pid;
	thread.tid = task->tid;
	thread.thread_name = name;
	track.thread = &thread;
	if (task->pid == task->tid)
		err = write_process(p, task, name);
	return err ? err : packet__track(&p->w, &track);
}

/* Finds the windows of a task, and how many these are. Tasks come in the order of their numbers, as windows do. */
static const struct window *const *windows_of(struct perfetto *p, int32_t tid, size_t *nr)
{
	const struct exported *exported = p->exported;
	size_t first;

	while (p->window < exported->nr_windows && exported->windows[p->window]->tid < tid)
		p->window++;
	first = p->window;
	while (p->window < exported->nr_windows && exported->windows[p->window]->tid == tid)
		p->window++;
	*nr = p->window - first;
	return &exported->windows[first];
}

static int write_task(struct perfetto *p, const struct traced_task *task)
{
	static const struct call_sink sink = {.begin = on_begin, .end = on_end, .mark = on_mark};
	const struct window *const *windows;
	size_t nr;
	int err;

	p->track = p->uuid++;
	p->last = 0;
	p->cpu = -1;
	err = write_track(p, task);
	windows = windows_of(p, task->tid, &nr);
	if (!err && nr)
		err = perfetto_windows__write(&p->w, windows, nr, p->track, &p->uuid);
	if (!err)
		err = perfetto_samples__write(&p->samples, task, p->track, &p->uuid);
	if (err)
		return err;
	return call_walk__run(&task->tree, p->exported->limits, &sink, p, &p->exported->left_out);
}

int perfetto__write(FILE *to, struct exported *exported)
{
	/* Those of all functions, of an unknown one, and of what was not traced. */
	struct perfetto p = {.w.to = to, .exported = exported, .nr_told = exported->names->nr + 2, .uuid = 1};
	int err;

	p.samples = (struct perfetto_samples){.w = &p.w, .names = exported->names};
	p.is_told = calloc(p.nr_told, sizeof(*p.is_told));
	err = p.is_told ? packet__begin(&p.w) : -ENOMEM;
	if (!err)
		err = perfetto_trigger__write(&p.w, exported->snapshots, exported->nr_snapshots, &p.uuid);
	if (!err)
		err = perfetto_cpus__write(&p.w, exported, &p.uuid);
	for (size_t i = 0; !err && i < exported->nr_tasks; i++)
		err = write_task(&p, exported->tasks[i]);
	free(p.is_told);
	packet__release(&p.w);
	return err;
}
