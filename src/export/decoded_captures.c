// SPDX-License-Identifier: GPL-2.0-only
#include "export/decoded_captures.h"

#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "calls/gate_path.h"
#include "export/folded.h"

/* Checks that there is the window that is asked for. Returns 0, or a negative errno, which is logged. */
static int check_window(const struct decoded_captures *d, const struct decode_captures_opts *opts)
{
	const char *file = opts->decode.file;

	if (d->captures.is_dir) {
		log_err("--window is for one capture, and '%s' is a directory of them: name one of its "
			"snapshots",
			file);
		return -EINVAL;
	}
	if (!d->windows.nr)
		log_err("'%s' does not tell of windows: it has none, or is not of auxbpf", file);
	else if (opts->window > d->windows.nr)
		log_err("there is no such window; '%s' has %zu", file, d->windows.nr);
	else
		return 0;
	return -ENOENT;
}

/* Leaves the samples of a window alone: what is decoded is a bit more. */
static void keep_samples(struct traced_task *task, const struct window *window)
{
	traced_task__keep_samples(task, window->begin, window->is_over ? window->end : UINT64_MAX);
}

/* Decodes one window; its task has a tree, and paths if these are wanted. */
static int decode_window(struct decoded_captures *d, const struct decode_captures_opts *opts)
{
	struct traced_task *task;
	int err = check_window(d, opts);

	if (!err)
		err = decoding__window(&d->decoding, &opts->decode, &d->windows.list[opts->window - 1],
				       &task);
	if (!err && task && opts->of_paths) {
		err = task_paths__init(&task->paths, &d->paths);
		if (!err)
			err = folded__count(&task->tree, &task->paths);
	}
	if (!err)
		err = traced_tasks__take(&d->decoding.tasks, &d->tasks);
	for (size_t i = 0; !err && i < decoded_captures__nr_tasks(d); i++)
		keep_samples(decoded_captures__tasks(d)[i], &d->windows.list[opts->window - 1]);
	return err;
}

/* Takes the tasks of a snapshot, which are to be told from those of the others. */
static int take_apart(struct decoded_captures *d, const struct listed_capture *capture)
{
	size_t nr = decoded_captures__nr_tasks(d);
	int err = traced_tasks__take(&d->decoding.tasks, &d->tasks);

	for (; !err && nr < decoded_captures__nr_tasks(d); nr++)
		decoded_captures__tasks(d)[nr]->capture = capture->snapshot->name;
	return err;
}

/* Decodes a snapshot behind others. One that perf cannot read, which is logged, does not keep the others from being shown. */
static int decode_snapshot(struct decoded_captures *d, const struct decode_captures_opts *opts,
			   const struct decode_work *work, size_t *nr_failed)
{
	struct decode_opts part = opts->decode;
	int err;

	part.file = d->captures.list[work->part - 1].path;
	part.work = *work;
	err = decoding__all(&d->decoding, &part);
	if (err == -EPROTO) {
		(*nr_failed)++;
		err = 0;
	}
	return err ? err : decoding__end_capture(&d->decoding);
}

static int decode_snapshots(struct decoded_captures *d, const struct decode_captures_opts *opts)
{
	const struct capture_list *captures = &d->captures;
	struct decode_work work = {.since = clock__ns(CLOCK_MONOTONIC), .parts = captures->nr};
	size_t nr_failed = 0;
	int err = 0;

	for (size_t i = 0; !err && i < captures->nr; i++) {
		if (opts->is_apart && i)
			err = take_apart(d, &captures->list[i - 1]);
		work.part = i + 1;
		if (!err)
			err = decode_snapshot(d, opts, &work, &nr_failed);
	}
	if (nr_failed)
		log_warn("left out: %zu snapshot%s that could not be read", nr_failed,
			 log__plural(nr_failed));
	if (err || nr_failed == captures->nr)
		return err ? err : -EPROTO;
	err = decoding__check(&d->decoding, &opts->decode);
	return err || !opts->is_apart ? err : take_apart(d, &captures->list[captures->nr - 1]);
}

static int decode_capture(struct decoded_captures *d, const struct decode_captures_opts *opts)
{
	int err = decoding__all(&d->decoding, &opts->decode);

	return err ? err : decoding__check(&d->decoding, &opts->decode);
}

/* Completes the tree or the paths of a task. */
static int finish_task(const struct decoded_captures *d, struct traced_task *task, bool of_paths)
{
	int err = 0;

	if (of_paths)
		return task_paths__finish(&task->paths, &task->stack);
	if (d->captures.is_dir) {
		traced_task__keep_samples(task, 0, UINT64_MAX);
		err = call_tree__sort(&task->tree);
	}
	if (!err)
		gate_path__mark(&task->tree, &d->decoding.names);
	return err;
}

static int decode_all(struct decoded_captures *d, const struct decode_captures_opts *opts)
{
	int err;

	if (opts->of_paths)
		d->decoding.tasks.paths = &d->paths;
	err = d->captures.is_dir ? decode_snapshots(d, opts) : decode_capture(d, opts);
	if (!err)
		err = traced_tasks__take(&d->decoding.tasks, &d->tasks);
	for (size_t i = 0; !err && i < decoded_captures__nr_tasks(d); i++)
		err = finish_task(d, decoded_captures__tasks(d)[i], opts->of_paths);
	return err;
}

static int read_windows(struct decoded_captures *d)
{
	for (size_t i = 0; i < d->captures.nr; i++) {
		int err = windows__read(&d->windows, d->captures.list[i].path);

		if (err && err != -ENOENT)
			return err;
	}
	if (d->captures.is_dir)
		windows__unite(&d->windows);
	return 0;
}

int decoded_captures__read(struct decoded_captures *d, const struct decode_captures_opts *opts)
{
	const struct capture_list_opts list = {
		.path = opts->decode.file, .rule = opts->rule, .one_clock = opts->one_clock};
	struct decode_captures_opts all = *opts;
	int err = capture_list__read(&d->captures, &list);

	if (!err)
		err = read_windows(d);
	if (err)
		return err;
	d->paths = (struct call_paths_opts){.names = &d->decoding.names,
					    .with_gate = opts->limits.show_gate,
					    .min_duration = opts->limits.min_duration};
	all.decode.with_switches = opts->has_switches;
	d->decoding.tasks.keeps_samples = opts->has_samples;
	d->decoding.switches = opts->has_switches ? &d->switches : NULL;
	return opts->window ? decode_window(d, &all) : decode_all(d, &all);
}

void decoded_captures__release(struct decoded_captures *d)
{
	for (size_t i = 0; i < decoded_captures__nr_tasks(d); i++)
		traced_task__free(decoded_captures__tasks(d)[i]);
	buf__release(&d->tasks);
	buf__release(&d->switches);
	windows__release(&d->windows);
	decoding__release(&d->decoding);
	capture_list__release(&d->captures);
}
