// SPDX-License-Identifier: GPL-2.0-only
#include "export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "export/decoded_captures.h"
#include "export/export_file.h"
#include "export/exported.h"
#include "export/folded.h"
#include "export/html.h"
#include "export/perfetto.h"
#include "export/speedscope.h"

struct export_format {
	const char *name;
	bool is_text;
	bool of_paths; /* of the time in each path of calls, and not of calls */
	bool is_apart; /* it shows the snapshots of a directory one by one, not on one time line */
	bool has_samples; /* it shows samples one by one, with the calls; else how many there are, if there are no calls */
	bool has_switches; /* it shows which tasks were on the CPUs */
	int (*write)(FILE *to, struct exported *exported);
};

static const struct export_format formats[] = {
	{.name = "html", .is_text = true, .has_samples = true, .write = html__write},
	{.name = "perfetto", .has_switches = true, .has_samples = true, .write = perfetto__write},
	{.name = "speedscope", .is_text = true, .is_apart = true, .write = speedscope__write},
	{.name = "folded", .is_text = true, .of_paths = true, .write = folded__write},
};

struct export
{
	const struct export_opts *opts;
	struct decoded_captures decoded;
	struct traced_task **tasks; /* that are shown */
	size_t nr_tasks;
	const struct window **windows; /* that are shown */
	size_t nr_windows;
	const struct snapshot_line **snapshots; /* the lines of the captures that have one */
	size_t nr_snapshots;
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
	const struct windows *all = &e->decoded.windows;

	e->windows = calloc(all->nr + 1, sizeof(const struct window *));
	if (!e->windows)
		return -ENOMEM;
	for (size_t i = 0; i < all->nr; i++) {
		if (is_shown(e->opts, &all->list[i]))
			e->windows[e->nr_windows++] = &all->list[i];
	}
	qsort(e->windows, e->nr_windows, sizeof(const struct window *), by_task);
	return 0;
}

static int list_snapshots(struct export *e)
{
	const struct capture_list *captures = &e->decoded.captures;

	e->snapshots = calloc(captures->nr + 1, sizeof(const struct snapshot_line *));
	if (!e->snapshots)
		return -ENOMEM;
	for (size_t i = 0; i < captures->nr; i++) {
		if (captures->list[i].snapshot)
			e->snapshots[e->nr_snapshots++] = captures->list[i].snapshot;
	}
	return 0;
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

static int list_tasks(struct export *e)
{
	struct traced_task **all = decoded_captures__tasks(&e->decoded);
	size_t nr = decoded_captures__nr_tasks(&e->decoded);
	bool with_samples = e->opts->format->has_samples || decoding__is_sampled(&e->decoded.decoding);

	e->tasks = calloc(nr + 1, sizeof(*e->tasks));
	if (!e->tasks)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		bool is_called = has_calls(e, all[i]);

		if (!is_called)
			call_tree__clear(&all[i]->tree);
		if (is_called || (with_samples && all[i]->samples.first))
			e->tasks[e->nr_tasks++] = all[i];
	}
	return 0;
}

/* Takes away the switches at other times than those that are asked for. */
static size_t shown_switches(const struct export *e)
{
	struct task_switch *list = (struct task_switch *)(void *)e->decoded.switches.data;
	size_t nr = e->decoded.switches.len / sizeof(*list), kept = 0;
	uint64_t begin = e->opts->decode.begin, end = e->opts->decode.end;

	if (e->opts->window) {
		const struct window *window = &e->decoded.windows.list[e->opts->window - 1];

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
	const struct call_limits *limits = &e->opts->limits;

	if (!decoding__is_sampled(&e->decoded.decoding) || (!limits->min_duration && !limits->depth))
		return 0;
	log_err("'%s' has samples: --min-duration and --depth are for calls", e->opts->decode.file);
	return -EINVAL;
}

static int write_all(struct export *e)
{
	struct exported exported = {
		.capture = e->opts->decode.file,
		.names = &e->decoded.decoding.names,
		.tasks = e->tasks,
		.nr_tasks = e->nr_tasks,
		.windows = e->windows,
		.nr_windows = e->nr_windows,
		.switches = (const struct task_switch *)(const void *)e->decoded.switches.data,
		.nr_switches = shown_switches(e),
		.is_sampled = decoding__is_sampled(&e->decoded.decoding),
		.has_events = e->decoded.decoding.has_events,
		.snapshots = e->snapshots,
		.nr_snapshots = e->nr_snapshots,
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

static int decode(struct export *e)
{
	const struct export_format *format = e->opts->format;
	const struct decode_captures_opts opts = {
		.decode = e->opts->decode,
		.rule = e->opts->rule,
		.window = e->opts->window,
		.limits = e->opts->limits,
		.of_paths = format->of_paths,
		.is_apart = format->is_apart,
		.one_clock = !format->of_paths && !format->is_apart,
		.has_switches = format->has_switches,
		.has_samples = format->has_samples,
	};
	int err = decoded_captures__read(&e->decoded, &opts);

	decoding__tell_errors(&e->decoded.decoding);
	if (!err)
		err = list_tasks(e);
	if (!err)
		err = list_windows(e);
	return err ? err : list_snapshots(e);
}

static bool is_one_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The output must not take the place of what is read: a capture that is one file, or the index of a directory. */
static int check_out(const struct export_opts *opts)
{
	_cleanup_free_ char *index = NULL;

	if (!opts->out)
		return 0;
	if (asprintf(&index, "%s/index.ndjson", opts->decode.file) < 0)
		return -ENOMEM;
	if (!is_one_file(opts->decode.file, opts->out) && !is_one_file(index, opts->out))
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
	return err ? err : write_all(e);
}

static void release(struct export *e)
{
	export_file__close(&e->file);
	free(e->tasks);
	free(e->windows);
	free(e->snapshots);
	decoded_captures__release(&e->decoded);
}

int export__run(const struct export_opts *opts)
{
	struct export e = {.opts = opts, .file.target.dirfd = -1};
	unsigned int before = log__nr_errors();
	int err = run(&e);

	if (err)
		log__err_unless_said(before, "cannot export the capture", err);
	release(&e);
	return err;
}
