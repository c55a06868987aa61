// SPDX-License-Identifier: GPL-2.0-only
#include "export/speedscope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "export/frames.h"
#include "report/json_line.h"

struct speedscope {
	FILE *to;
	struct exported *exported;
	struct frames frames;
	uint64_t base;	     /* the time that is 0, ns */
	uint64_t last;	     /* of the last event: none may be before it */
	const char *between; /* what stands between two events, or nothing in front of the first one */
};

static void write_event(struct speedscope *s, char type, function_id function, uint64_t time)
{
	s->last = time > s->last ? time : s->last;
	fprintf(s->to, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}", s->between, type,
		frames__get(&s->frames, function), s->last - s->base);
	s->between = ",\n";
}

static int on_begin(void *ctx, const struct call *call, uint64_t time)
{
	write_event(ctx, 'O', call->function, time);
	return 0;
}

static int on_end(void *ctx, const struct call *call, uint64_t time)
{
	write_event(ctx, 'C', call->function, time);
	return 0;
}

/* An error takes no time, and would not be seen. */
static int on_mark(void *ctx, const struct call *mark)
{
	if (mark->mark == CALL_MARK_GAP) {
		write_event(ctx, 'O', FRAME_NOT_TRACED, mark->begin);
		write_event(ctx, 'C', FRAME_NOT_TRACED, mark->end);
	}
	return 0;
}

static int write_text(struct speedscope *s, const char *text)
{
	return json_line__print(s->to, json__text(text));
}

static int write_events(struct speedscope *s, const struct traced_task *task)
{
	static const struct call_sink sink = {.begin = on_begin, .end = on_end, .mark = on_mark};
	int err;

	s->last = call_walk__first(&task->tree);
	fprintf(s->to, ",\"startValue\":%" PRIu64 ",\"events\":[\n", s->last - s->base);
	s->between = "";
	err = call_walk__run(&task->tree, s->exported->limits, &sink, s, &s->exported->left_out);
	fprintf(s->to, "],\n\"endValue\":%" PRIu64 "}", s->last - s->base);
	return err;
}

/* Writes the frames of a path, that of the first caller first. */
static void write_stack(struct speedscope *s, const struct call_path *path, const struct call_path *top)
{
	function_id stack[SAMPLE_FRAMES + 1]; /* an event is in front of a sample's frames */
	size_t nr = 0;

	for (; path != top; path = path->parent)
		stack[nr++] = path->function;
	fprintf(s->to, "%s[", s->between);
	while (nr-- > 0)
		fprintf(s->to, "%" PRIu32 "%s", frames__get(&s->frames, stack[nr]), nr ? "," : "");
	fputs("]", s->to);
	s->between = ",\n";
}

/* A sample stands for all of its path: in which order they came is not kept. */
static void write_samples(struct speedscope *s, const struct call_path *top)
{
	fprintf(s->to, ",\"startValue\":0,\"endValue\":%" PRIu64 ",\"samples\":[\n", top->calls);
	s->between = "";
	for (const struct call_path *path = top->first; path; path = call_path__next_below(path, top)) {
		if (path->self)
			write_stack(s, path, top);
	}
	fputs("],\n\"weights\":[", s->to);
	s->between = "";
	for (const struct call_path *path = top->first; path; path = call_path__next_below(path, top)) {
		if (path->self) {
			fprintf(s->to, "%s%" PRIu64, s->between, path->self);
			s->between = ",";
		}
	}
	fputs("]}", s->to);
}

static int write_profile(struct speedscope *s, const struct traced_task *task)
{
	bool is_sampled = s->exported->is_sampled;
	_cleanup_free_ char *name = NULL;
	int err;

	if (asprintf(&name, "%s%s%s %" PRId32 "/%" PRId32, task->capture ? task->capture : "",
		     task->capture ? ": " : "", exported__name(task), task->pid, task->tid) < 0)
		return -ENOMEM;
	fprintf(s->to, "{\"type\":\"%s\",\"unit\":\"%s\",\"name\":", is_sampled ? "sampled" : "evented",
		is_sampled ? "none" : "nanoseconds");
	err = write_text(s, name);
	if (!err && is_sampled)
		write_samples(s, exported__samples(s->exported, task));
	else if (!err)
		err = write_events(s, task);
	return err;
}

static int write_profiles(struct speedscope *s)
{
	int err = 0;

	fputs("\"profiles\":[\n", s->to);
	for (size_t i = 0; !err && i < s->exported->nr_tasks; i++) {
		fputs(i ? ",\n" : "", s->to);
		err = write_profile(s, s->exported->tasks[i]);
	}
	fputs("],\n", s->to);
	return err;
}

static int write_frame(struct speedscope *s, size_t frame)
{
	struct json_object *object = json_object_new_object();
	const char *file = frames__object(&s->frames, frame);

	json__add_text(object, "name", frames__name(&s->frames, frame));
	if (*file)
		json__add_text(object, "file", file);
	return json_line__print(s->to, object);
}

/* The frames come last: which ones there are is known then. */
static int write_frames(struct speedscope *s)
{
	int err = 0;

	fputs("\"shared\":{\"frames\":[\n", s->to);
	for (size_t i = 0; !err && i < s->frames.nr; i++) {
		fputs(i ? "," : "", s->to);
		err = write_frame(s, i);
	}
	fputs("]}}\n", s->to);
	return err;
}

static int write_head(struct speedscope *s)
{
	_cleanup_free_ char *name = NULL;
	int len;

	if (s->exported->is_sampled)
		len = asprintf(&name, "%s", s->exported->capture);
	else
		len = asprintf(&name, "%s, from %" PRIu64 ".%09" PRIu64, s->exported->capture,
			       s->base / 1000000000, s->base % 1000000000);
	if (len < 0)
		return -ENOMEM;
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"auxbpf\",\n\"name\":",
	      s->to);
	return write_text(s, name);
}

/* Returns when the first of the tasks' calls was seen, ns; 0 if there is none. */
static uint64_t first_time(const struct exported *exported)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < exported->nr_tasks; i++) {
		uint64_t time = call_walk__first(&exported->tasks[i]->tree);

		first = time < first ? time : first;
	}
	return exported->nr_tasks ? first : 0;
}

int speedscope__write(FILE *to, struct exported *exported)
{
	struct speedscope s = {.to = to, .exported = exported, .base = first_time(exported)};
	int err = frames__init(&s.frames, exported->names);

	if (!err)
		err = write_head(&s);
	if (!err) {
		fputs(",", to);
		err = write_profiles(&s);
	}
	if (!err)
		err = write_frames(&s);
	frames__release(&s.frames);
	return err;
}
