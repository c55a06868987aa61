// SPDX-License-Identifier: GPL-2.0-only
#include "report/decoding.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "calls/gate_path.h"
#include "report/task_names.h"

/* The trace has no more exact times than this, ns; the branches of a window may seem to be so much before or after it. */
#define MARGIN 100000

/* Returns the number of the function that stands for the one to which the capture gives this number. */
static function_id function_of(const struct decoding *d, function_id id)
{
	return function_names__same(&d->names, shared_names__get(&d->shared, id));
}

static int on_branch(void *ctx, const struct branch *branch)
{
	struct decoding *d = ctx;
	struct branch b = *branch;

	d->nr_branches++;
	b.from_function = function_of(d, b.from_function);
	b.to_function = function_of(d, b.to_function);
	return traced_tasks__branch(&d->tasks, &b);
}

static int on_sample(void *ctx, const struct sample *sample, const struct sample_frame *frames)
{
	struct sample_frame own_frames[SAMPLE_FRAMES];
	struct sample own = *sample;
	struct decoding *d = ctx;

	own.event = shared_names__get(&d->shared, sample->event);
	own.nr = sample->nr < SAMPLE_FRAMES ? sample->nr : SAMPLE_FRAMES;
	for (uint32_t i = 0; i < own.nr; i++)
		own_frames[i] = (struct sample_frame){.function = function_of(d, frames[i].function),
						      .is_kernel = frames[i].is_kernel};
	d->nr_samples++;
	if (d->event && d->event != own.event)
		d->has_events = true;
	d->event = own.event;
	return traced_tasks__sample(&d->tasks, &own, own_frames);
}

static int on_function(void *ctx, function_id id, const char *name, const char *object)
{
	struct decoding *d = ctx;

	return shared_names__add(&d->shared, &d->names, id, name, object);
}

static int on_site(void *ctx, site_id id, const struct call_site *site)
{
	struct call_site own = *site;
	struct decoding *d = ctx;

	own.function = shared_names__get(&d->shared, site->function);
	return call_sites__add(&d->sites, id, &own);
}

static int on_task(void *ctx, int32_t tid, const char *name)
{
	struct decoding *d = ctx;

	return traced_tasks__name(&d->tasks, tid, name);
}

static int on_switch(void *ctx, const struct task_switch *s)
{
	struct decoding *d = ctx;

	if (d->switches) {
		struct task_switch own = *s;

		own.capture = d->shared.capture;
		buf__add(d->switches, &own, sizeof(own));
		return buf__error(d->switches);
	}
	return traced_tasks__switch(&d->tasks, s);
}

/* Tells whether an error of the decoder is shown: of all tasks, of the one that is wanted, or of those with the wanted name. */
static bool is_shown(const struct decoding *d, int32_t tid)
{
	const struct traced_task *task;

	if (!task_filter__is_set(&d->wanted))
		return true;
	if (d->wanted.tid >= 0)
		return tid == d->wanted.tid;
	task = id_hash__find(&d->tasks.hash, (uint32_t)tid);
	return task && task->has_branches;
}

/* perf prints an error so (tools/perf/util/event.c, auxtrace_error_fprintf()); other lines are no errors. */
static int on_text(void *ctx, const char *line)
{
	struct decoding *d = ctx;
	uint64_t seconds, ns;
	int cpu, pid, tid, at = 0;
	char error[128];

	if (sscanf(line,
		   " instruction trace error type %*u time %" SCNu64 ".%" SCNu64
		   " cpu %d pid %d tid %d ip %*x code %*d: %n",
		   &seconds, &ns, &cpu, &pid, &tid, &at) < 5 ||
	    !at) {
		log_debug("perf: %s", line);
		return 0;
	}
	if (!is_shown(d, tid))
		return 0;
	snprintf(error, sizeof(error), "%.*s", (int)strcspn(line + at, "\n"), line + at);
	d->nr_errors++;
	return traced_tasks__error(&d->tasks, tid, cpu, seconds * 1000000000 + ns, error);
}

static const struct decode_handler handler = {
	.branch = on_branch,
	.sample = on_sample,
	.function = on_function,
	.site = on_site,
	.task = on_task,
	.task_switch = on_switch,
	.text = on_text,
};

static int decode(struct decoding *d, const struct decode_opts *opts)
{
	d->tasks.names = &d->names;
	d->wanted = opts->task;
	return perf_decoder__run(opts, &handler, d);
}

int decoding__windows(struct decoding *d, const struct decode_opts *opts, const struct windows *windows)
{
	_cleanup_free_ struct window_begin *begins = windows__begins(windows);
	int err;

	if (!begins)
		return -ENOMEM;
	traced_tasks__begin_capture(&d->tasks, begins, windows->nr);
	err = decode(d, opts);
	if (!err)
		err = traced_tasks__finish(&d->tasks);
	d->tasks.begins = NULL;
	d->tasks.nr_begins = 0;
	return err;
}

int decoding__end_capture(struct decoding *d)
{
	shared_names__next_capture(&d->shared);
	return traced_tasks__end_capture(&d->tasks);
}

int decoding__all(struct decoding *d, const struct decode_opts *opts)
{
	_cleanup_(windows__release) struct windows windows = {0};
	int err = windows__read(&windows, opts->file);

	return err && err != -ENOENT ? err : decoding__windows(d, opts, &windows);
}

int decoding__window(struct decoding *d, const struct decode_opts *opts, const struct window *window,
		     struct traced_task **ret)
{
	struct decode_opts part = *opts;
	struct traced_task *task;
	int err;

	*ret = NULL;
	part.task = (struct task_filter){.tid = window->tid};
	part.begin = window->begin > MARGIN ? window->begin - MARGIN : 0;
	part.end = window->is_over ? window->end + MARGIN : UINT64_MAX;
	err = decode(d, &part);
	if (err)
		return err;
	task = id_hash__find(&d->tasks.hash, (uint32_t)window->tid);
	if (task)
		call_tree__keep(&task->tree, window->begin, window->is_over ? window->end : UINT64_MAX);
	if (task && task->tree.root.first) {
		gate_path__mark(&task->tree, &d->names);
		*ret = task;
	} else if (!task || !task->samples.first) {
		log_warn("window %zu: nothing of it is in the trace", window->number);
	}
	return 0;
}

void decoding__tell_errors(const struct decoding *d)
{
	if (d->nr_errors)
		log_warn("%" PRIu64 " error%s of the decoder: calls may be missing there", d->nr_errors,
			 log__plural(d->nr_errors));
}

/* Says which tasks there are in place of the one that is asked for. Returns whether there are any. */
static bool tell_tasks(const struct decoding *d, const char *file)
{
	_cleanup_free_ struct traced_task **tasks = traced_tasks__list(&d->tasks);
	_cleanup_free_ struct task_name *names = calloc(d->tasks.hash.nr + 1, sizeof(*names));
	char text[1024];
	size_t nr = 0;

	if (!tasks || !names)
		return false;
	for (size_t i = 0; i < d->tasks.hash.nr; i++) {
		if (tasks[i]->name)
			names[nr++] = (struct task_name){tasks[i]->tid, tasks[i]->name};
	}
	task_names__write(names, nr, text, sizeof(text));
	if (nr)
		log_err("'%s' has no trace of such a task; it has of: %s", file, text);
	return nr;
}

int decoding__check(const struct decoding *d, const struct decode_opts *opts)
{
	bool is_part = opts->begin || opts->end != UINT64_MAX || task_filter__is_set(&opts->task);

	if (d->nr_branches || d->nr_samples)
		return 0;
	if (!task_filter__is_set(&opts->task) || !tell_tasks(d, opts->file))
		log_err("'%s' has neither trace of a processor's branches nor samples%s", opts->file,
			is_part ? " in what was asked for" : "");
	return -ENODATA;
}

bool decoding__is_sampled(const struct decoding *d)
{
	return !d->nr_branches && d->nr_samples;
}

void decoding__release(struct decoding *d)
{
	traced_tasks__release(&d->tasks);
	shared_names__release(&d->shared);
	function_names__release(&d->names);
	call_sites__release(&d->sites);
}
