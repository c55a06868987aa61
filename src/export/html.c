// SPDX-License-Identifier: GPL-2.0-only
#include "export/html.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "export/base64.h"
#include "export/frames.h"
#include "export/page_image.h"

_Static_assert((int)CALL_CALLER < (int)HTML_GAP, "no kind of a call is that of a gap");

/* The longest time from one event to the next, ns. Only a decoder that has gone astray tells of more: 146 years. */
#define MAX_SINCE (UINT64_MAX >> 2)

struct html {
	FILE *to;
	struct exported *exported;
	struct frames frames;
	struct base64 bytes;
	uint64_t base;			   /* the time that is 0, ns */
	uint64_t last;			   /* of the last event: none may be before it */
	int32_t cpu;			   /* of the last begin; -1: there was none */
	uint64_t nr_calls;		   /* of the task */
	const struct task_sample *samples; /* of the task, that are not written yet */
	size_t nr_samples;
	struct buf paths; /* of samples: struct call_path *, by their number - 1 */
};

/* Puts what all events begin with. */
static void put_event(struct html *h, enum html_event kind, uint64_t time)
{
	uint64_t since = time > h->last ? time - h->last : 0;

	since = since < MAX_SINCE ? since : MAX_SINCE;
	h->last += since;
	base64__put_number(&h->bytes, since << 2 | kind);
}

/* Gives a path a number behind those of its callers, the first of which stands for the event. */
static int number_path(struct html *h, struct call_path *path)
{
	struct call_path *stack[SAMPLE_FRAMES + 1];
	size_t nr = 0;

	for (; path->parent && !path->number; path = path->parent)
		stack[nr++] = path;
	while (nr-- > 0) {
		buf__add(&h->paths, &stack[nr], sizeof(*stack));
		stack[nr]->number = (uint32_t)(h->paths.len / sizeof(*stack));
	}
	return buf__error(&h->paths);
}

/* Puts the samples up to a time, in front of what comes then. */
static int put_samples(struct html *h, uint64_t until)
{
	int err = 0;

	for (; !err && h->nr_samples && h->samples->time <= until; h->samples++, h->nr_samples--) {
		err = number_path(h, h->samples->path);
		put_event(h, HTML_SAMPLE, h->samples->time);
		base64__put_number(&h->bytes, h->samples->path->number - 1);
		base64__put_number(&h->bytes, (uint32_t)h->samples->cpu + 1);
	}
	return err;
}

static void put_begin(struct html *h, function_id function, unsigned int flags, uint64_t time, int32_t cpu)
{
	bool is_other = cpu != h->cpu;

	put_event(h, HTML_BEGIN, time);
	base64__put_number(&h->bytes, frames__get(&h->frames, function));
	base64__put(&h->bytes, (uint8_t)(flags | (is_other ? HTML_OTHER_CPU : 0)));
	if (is_other)
		base64__put_number(&h->bytes, (uint32_t)cpu + 1);
	h->cpu = cpu;
}

static int on_begin(void *ctx, const struct call *call, uint64_t time)
{
	struct html *h = ctx;
	unsigned int flags = call->kind | (call->is_kernel ? HTML_KERNEL : 0);
	int err = put_samples(h, time);

	if (err)
		return err;
	if (call->is_over)
		flags |= HTML_OVER | call->how << HTML_HOW_SHIFT;
	put_begin(h, call->function, flags, time, call->cpu);
	h->nr_calls++;
	return 0;
}

static int on_end(void *ctx, const struct call *call, uint64_t time)
{
	int err = put_samples(ctx, time);

	put_event(ctx, HTML_END, time);
	return err;
}

static int put_error(struct html *h, const struct call *mark)
{
	_cleanup_free_ char *text = text__utf8(mark->text ? mark->text : "error");

	if (!text)
		return -ENOMEM;
	put_event(h, HTML_ERROR, mark->begin);
	base64__put_number(&h->bytes, strlen(text));
	for (const char *c = text; *c; c++)
		base64__put(&h->bytes, (uint8_t)*c);
	return 0;
}

/* The CPU of a time without trace is that on which the task goes on. */
static int on_mark(void *ctx, const struct call *mark)
{
	struct html *h = ctx;
	int err = put_samples(h, mark->begin);

	if (err)
		return err;
	if (mark->mark == CALL_MARK_ERROR)
		return put_error(h, mark);
	put_begin(h, FRAME_NOT_TRACED, HTML_GAP | HTML_OVER, mark->begin, mark->cpu);
	err = put_samples(h, mark->end);
	put_event(h, HTML_END, mark->end);
	return err;
}

/* Writes the calls of a task, and appends it to the list of lanes. */
static int write_lane(struct html *h, const struct traced_task *task, struct json_object *lanes)
{
	static const struct call_sink sink = {.begin = on_begin, .end = on_end, .mark = on_mark};
	struct json_object *lane = json_object_new_object();
	int err;

	h->last = h->base;
	h->cpu = -1;
	h->nr_calls = 0;
	h->samples = traced_task__samples(task, &h->nr_samples);
	fputs("<script type=\"text/plain\" class=\"lane\">", h->to);
	err = call_walk__run(&task->tree, h->exported->limits, &sink, h, &h->exported->left_out);
	if (!err)
		err = put_samples(h, UINT64_MAX);
	base64__finish(&h->bytes);
	fputs("</script>\n", h->to);
	json__add_text(lane, "name", exported__name(task));
	json__add_i64(lane, "pid", task->pid);
	json__add_i64(lane, "tid", task->tid);
	json__add_u64(lane, "calls", h->nr_calls);
	json__append(lanes, lane);
	return err;
}

/* Writes JSON so that HTML finds nothing in it: "<" is there in strings alone. */
static int write_json(struct html *h, struct json_object *object)
{
	const char *text = json__line(object);

	for (const char *c = text; c && *c; c++) {
		if (*c == '<')
			fputs("\\u003c", h->to);
		else
			fputc(*c, h->to);
	}
	json_object_put(object);
	return text ? 0 : -ENOMEM;
}

static struct json_object *describe_function(const struct frames *frames, size_t frame)
{
	struct json_object *function = json_object_new_array();

	json__append_text(function, frames__name(frames, frame));
	json__append_text(function, frames__object(frames, frame));
	return function;
}

static int write_functions(struct html *h)
{
	int err = 0;

	fputs(",\n\"functions\":[\n", h->to);
	for (size_t i = 0; !err && i < h->frames.nr; i++) {
		fputs(i ? ",\n" : "", h->to);
		err = write_json(h, describe_function(&h->frames, i));
	}
	fputs("]", h->to);
	return err;
}

/* Writes the paths of samples, each behind the one that it goes on from: the number of that, or -1, and of its function. */
static void write_paths(struct html *h)
{
	struct call_path *const *paths = (struct call_path *const *)(const void *)h->paths.data;

	fputs(",\n\"paths\":[", h->to);
	for (size_t i = 0; i < h->paths.len / sizeof(*paths); i++)
		fprintf(h->to, "%s[%" PRId64 ",%" PRIu32 "]", i ? "," : "",
			(int64_t)paths[i]->parent->number - 1, frames__get(&h->frames, paths[i]->function));
	fputs("]", h->to);
}

/* A page's numbers do not hold all bits of an argument, so these are strings. */
static struct json_object *describe_args(const struct window *window)
{
	struct json_object *args = json_object_new_array();
	char number[sizeof("18446744073709551615")];

	for (size_t i = 0; i < ARRAY_SIZE(window->args); i++) {
		snprintf(number, sizeof(number), "%" PRIu64, window->args[i]);
		json__append_text(args, number);
	}
	return args;
}

static struct json_object *describe_window(const struct html *h, const struct window *window)
{
	struct json_object *object = json_object_new_object();

	json__add_u64(object, "window", window->number);
	json__add_text(object, "name", window->name);
	if (window->has_args)
		json__add(object, "args", describe_args(window));
	json__add_text(object, "result", window->result);
	json__add_text(object, "comm", window->comm);
	json__add_i64(object, "pid", window->pid);
	json__add_i64(object, "tid", window->tid);
	json__add_u64(object, "begin", window->begin - h->base);
	if (window->is_over)
		json__add_u64(object, "end", window->begin - h->base + window__duration(window));
	else
		json__add_null(object, "end");
	json__add_u64(object, "off", window->off);
	json__add_u64(object, "moves", window->moves);
	return object;
}

static int write_windows(struct html *h)
{
	int err = 0;

	fputs(",\n\"windows\":[\n", h->to);
	for (size_t i = 0; !err && i < h->exported->nr_windows; i++) {
		fputs(i ? ",\n" : "", h->to);
		err = write_json(h, describe_window(h, h->exported->windows[i]));
	}
	fputs("]", h->to);
	return err;
}

static struct json_object *describe_trigger(const struct html *h, const struct snapshot_line *snapshot)
{
	struct json_object *trigger = json_object_new_object();

	json__add_u64(trigger, "time", snapshot->trigger - h->base);
	json__add_text(trigger, "utc", snapshot->time);
	json__add_text(trigger, "rule", snapshot->rule);
	json__add_text(trigger, "event", snapshot->event);
	json__add_text(trigger, "comm", snapshot->comm);
	json__add_i64(trigger, "pid", snapshot->pid);
	json__add_i64(trigger, "tid", snapshot->tid);
	json__add_i64(trigger, "cpu", snapshot->cpu);
	json__add_text(trigger, "snapshot", snapshot->name);
	return trigger;
}

/* Writes at which triggers snapshots were taken, as far as that was told. */
static int write_triggers(struct html *h)
{
	struct json_object *triggers = json_object_new_array();

	for (size_t i = 0; i < h->exported->nr_snapshots; i++) {
		const struct snapshot_line *snapshot = h->exported->snapshots[i];

		if (snapshot->trigger)
			json__append(triggers, describe_trigger(h, snapshot));
	}
	fputs(",\n\"triggers\":", h->to);
	return write_json(h, triggers);
}

/* Writes what stands behind the lanes, which have the numbers of their functions then. */
static int write_capture(struct html *h, struct json_object *lanes)
{
	int err;

	fputs("<script type=\"application/json\" id=\"capture\">\n{\"capture\":", h->to);
	err = write_json(h, json__text(h->exported->capture));
	fprintf(h->to, ",\n\"base\":\"%" PRIu64 "\",\n\"lanes\":", h->base);
	if (!err)
		err = write_json(h, json_object_get(lanes));
	write_paths(h);
	if (!err)
		err = write_functions(h);
	if (!err)
		err = write_windows(h);
	if (!err)
		err = write_triggers(h);
	fputs("}\n</script>\n", h->to);
	return err;
}

/* When the first of a task was seen; UINT64_MAX: nothing was. */
static uint64_t first_of_task(const struct traced_task *task)
{
	uint64_t first = task->tree.root.first ? call_walk__first(&task->tree) : UINT64_MAX;
	size_t nr;
	const struct task_sample *samples = traced_task__samples(task, &nr);

	return nr && samples->time < first ? samples->time : first;
}

/* When the first of what is shown began. */
static uint64_t first_time(const struct exported *exported)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < exported->nr_tasks; i++) {
		uint64_t time = first_of_task(exported->tasks[i]);

		first = time < first ? time : first;
	}
	for (size_t i = 0; i < exported->nr_snapshots; i++) {
		uint64_t trigger = exported->snapshots[i]->trigger;

		first = trigger && trigger < first ? trigger : first;
	}
	for (size_t i = 0; i < exported->nr_windows; i++) {
		uint64_t begin = exported->windows[i]->begin;

		first = begin < first ? begin : first;
	}
	return first == UINT64_MAX ? 0 : first;
}

int html__write(FILE *to, struct exported *exported)
{
	struct html h = {.to = to, .exported = exported, .bytes.to = to, .base = first_time(exported)};
	struct json_object *lanes = json_object_new_array();
	int err = frames__init(&h.frames, exported->names);

	if (!err)
		page_image__write(to);
	for (size_t i = 0; !err && i < exported->nr_tasks; i++)
		err = write_lane(&h, exported->tasks[i], lanes);
	if (!err)
		err = write_capture(&h, lanes);
	json_object_put(lanes);
	buf__release(&h.paths);
	frames__release(&h.frames);
	return err;
}
