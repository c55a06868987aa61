// SPDX-License-Identifier: GPL-2.0-only
#include "export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "calls/gate_path.h"
#include "export/export_file.h"
#include "export/exported.h"
#include "export/folded.h"
#include "export/html.h"
#include "export/perfetto.h"
#include "export/speedscope.h"
#include "report/decoding.h"

struct export_format {
	const char *name;
	bool is_text;
	bool of_paths;	   /* of the time in each path of calls, and not of calls */
	bool has_samples;  /* it can show samples, too */
	bool has_switches; /* it shows which tasks were on the CPUs */
	int (*write)(FILE *to, struct exported *exported);
};

static const struct export_format formats[] = {
	{.name = "html", .is_text = true, .write = html__write},
	{.name = "perfetto", .has_switches = true, .write = perfetto__write},
	{.name = "speedscope", .is_text = true, .has_samples = true, .write = speedscope__write},
	{.name = "folded", .is_text = true, .of_paths = true, .has_samples = true, .write = folded__write},
};

struct export
{
	const struct export_opts *opts;
	struct call_paths_opts paths;
	struct decoding decoding;
	struct windows windows;
	struct traced_task **tasks;
	const struct window **shown; /* of the windows */
	size_t nr_shown;
	struct buf switches;
	struct snapshots snapshots;
	const struct snapshot_line *snapshot; /* that of the capture, or NULL */
	struct export_file file;
};

const struct export_format *export__format(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	}
	return NULL;
}

/* Leaves only the window that is asked for. Returns 0, or -ENOENT, which is logged. */
static int select_window(struct export *e)
{
	uint64_t number = e->opts->window;

	if (!e->windows.nr) {
		log_err("'%s' does not tell of windows: it has none, or is not of auxbpf",
			e->opts->decode.file);
		return -ENOENT;
	}
	if (number <= e->windows.nr)
		return 0;
	log_err("there is no such window; '%s' has %zu", e->opts->decode.file, e->windows.nr);
	return -ENOENT;
}

/* Decodes one window; its task has a tree, and paths if the format is of these. */
static int decode_window(struct export *e)
{
	struct traced_task *task;
	int err = select_window(e);

	if (!err)
		err = decoding__window(&e->decoding, &e->opts->decode, &e->windows.list[e->opts->window - 1],
				       &task);
	if (err || !task || !e->opts->format->of_paths)
		return err;
	err = task_paths__init(&task->paths, &e->paths);
	return err ? err : folded__count(&task->tree, &task->paths);
}

/* Completes the trees or the paths of all tasks. */
static int finish_tasks(struct export *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < e->decoding.tasks.hash.nr; i++) {
		struct traced_task *task = e->tasks[i];

		if (e->opts->format->of_paths)
			err = task_paths__finish(&task->paths, &task->stack);
		else
			gate_path__mark(&task->tree, &e->decoding.names);
	}
	return err;
}

static int by_task(const void *a, const void *b)
{
	const struct window *x = *(const struct window *const *)a, *y = *(const struct window *const *)b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool is_shown(const struct export_opts *opts, const struct window *window)
{
	const struct decode_opts *part = &opts->decode;

	if (opts->window)
		return window->number == opts->window;
	return task_filter__takes(&part->task, window->tid, window->comm) && window->begin <= part->end &&
	       (!window->is_over || window->end >= part->begin);
}

static int list_windows(struct export *e)
{
	e->shown = calloc(e->windows.nr + 1, sizeof(const struct window *));
	if (!e->shown)
		return -ENOMEM;
	for (size_t i = 0; i < e->windows.nr; i++) {
		if (is_shown(e->opts, &e->windows.list[i]))
			e->shown[e->nr_shown++] = &e->windows.list[i];
	}
	qsort(e->shown, e->nr_shown, sizeof(const struct window *), by_task);
	return 0;
}

static int list_tasks(struct export *e)
{
	e->tasks = traced_tasks__list(&e->decoding.tasks);
	return e->tasks ? 0 : -ENOMEM;
}

static int decode(struct export *e)
{
	int err = windows__read(&e->windows, e->opts->decode.file);

	if (!err || err == -ENOENT)
		err = list_windows(e);
	if (!err)
		err = snapshots__read_one(&e->snapshots, e->opts->decode.file, &e->snapshot);
	if (err)
		return err;
	if (e->opts->window) {
		err = decode_window(e);
		return err ? err : list_tasks(e);
	}
	if (e->opts->format->of_paths)
		e->decoding.tasks.paths = &e->paths;
	err = decoding__all(&e->decoding, &e->opts->decode);
	if (!err)
		err = decoding__check(&e->decoding, &e->opts->decode);
	if (!err)
		err = list_tasks(e);
	return err ? err : finish_tasks(e);
}

/* Says what is not in the file. */
static void tell_left_out(const struct left_out *left_out)
{
	if (left_out->nr_short)
		log_info("left out: %" PRIu64 " call%s, shorter than --min-duration", left_out->nr_short,
			 log__plural(left_out->nr_short));
	if (left_out->nr_deep)
		log_info("left out: %" PRIu64 " call%s, deeper than --depth", left_out->nr_deep,
			 log__plural(left_out->nr_deep));
}

/* Tells whether a task has calls that are shown: those of an idle task are on the way to the switch away from it. */
static bool has_calls(const struct export *e, const struct traced_task *task)
{
	return (task->tid || e->opts->limits.show_gate) && (task->tree.nr || task->paths.root.first);
}

/* Takes away the tasks that are not shown. */
static size_t shown_tasks(const struct export *e)
{
	size_t nr = 0;

	for (size_t i = 0; i < e->decoding.tasks.hash.nr; i++) {
		struct traced_task *task = e->tasks[i];

		if (decoding__is_sampled(&e->decoding) ? task->samples.first != NULL : has_calls(e, task))
			e->tasks[nr++] = task;
	}
	return nr;
}

/* Takes away the switches at other times than those that are asked for. */
static size_t shown_switches(const struct export *e)
{
	struct task_switch *list = (struct task_switch *)(void *)e->switches.data;
	size_t nr = e->switches.len / sizeof(*list), kept = 0;
	uint64_t begin = e->opts->decode.begin, end = e->opts->decode.end;

	if (e->opts->window) {
		const struct window *window = &e->windows.list[e->opts->window - 1];

		begin = window->begin;
		end = window->is_over ? window->end : UINT64_MAX;
	}
	for (size_t i = 0; i < nr; i++) {
		if (list[i].time >= begin && list[i].time <= end)
			list[kept++] = list[i];
	}
	return kept;
}

static int check_samples(const struct export *e)
{
	if (!decoding__is_sampled(&e->decoding))
		return 0;
	if (e->opts->limits.min_duration || e->opts->limits.depth) {
		log_err("'%s' has samples: --min-duration and --depth are for calls", e->opts->decode.file);
		return -EINVAL;
	}
	if (e->opts->format->has_samples)
		return 0;
	log_err("'%s' has samples and no calls: --folded and --speedscope show these", e->opts->decode.file);
	return -ENODATA;
}

static int write_all(struct export *e)
{
	struct exported exported = {
		.capture = e->opts->decode.file,
		.names = &e->decoding.names,
		.tasks = e->tasks,
		.nr_tasks = shown_tasks(e),
		.windows = e->shown,
		.nr_windows = e->nr_shown,
		.switches = (const struct task_switch *)(const void *)e->switches.data,
		.nr_switches = shown_switches(e),
		.is_sampled = decoding__is_sampled(&e->decoding),
		.has_events = e->decoding.has_events,
		.snapshot = e->snapshot,
		.limits = &e->opts->limits,
	};
	int err = check_samples(e);

	if (!err)
		err = e->opts->format->write(e->file.to, &exported);

	if (!err)
		err = export_file__finish(&e->file);
	if (!err)
		tell_left_out(&exported.left_out);
	return err;
}

/* A capture that is one file must not be replaced by what is made of it. */
static int check_out(const struct export_opts *opts)
{
	struct stat capture, out;

	if (!opts->out || stat(opts->decode.file, &capture) || stat(opts->out, &out) ||
	    capture.st_dev != out.st_dev || capture.st_ino != out.st_ino)
		return 0;
	log_err("'%s' is the capture itself: give another name with -o", opts->out);
	return -EINVAL;
}

static int run(struct export *e)
{
	int err = check_out(e->opts);

	if (!err)
		err = export_file__open(e->opts->out, e->opts->format->is_text, &e->file);
	if (!err)
		err = decode(e);
	if (!err)
		err = write_all(e);
	decoding__tell_errors(&e->decoding);
	return err;
}

static void release(struct export *e)
{
	export_file__close(&e->file);
	decoding__release(&e->decoding);
	windows__release(&e->windows);
	snapshots__release(&e->snapshots);
	buf__release(&e->switches);
	free(e->shown);
	free(e->tasks);
}

int export__run(const struct export_opts *opts)
{
	struct export_opts with_switches = *opts;
	struct export e = {.opts = &with_switches, .file.target.dirfd = -1};
	unsigned int before = log__nr_errors();
	int err;

	e.paths = (struct call_paths_opts){.names = &e.decoding.names,
					   .with_gate = opts->limits.show_gate,
					   .min_duration = opts->limits.min_duration};
	if (opts->format->has_switches) {
		with_switches.decode.with_switches = true;
		e.decoding.switches = &e.switches;
	}
	err = run(&e);
	if (err)
		log__err_unless_said(before, "cannot export the capture", err);
	release(&e);
	return err;
}
