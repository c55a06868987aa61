// SPDX-License-Identifier: GPL-2.0-only
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/pager.h"
#include "calls/gate_path.h"
#include "calls/inlined_calls.h"
#include "report/compare.h"
#include "report/decoding.h"
#include "report/graph_json.h"
#include "report/json_line.h"
#include "report/sample_screen.h"
#include "report/site_lines.h"
#include "report/snapshot_screen.h"
#include "report/task_names.h"
#include "report/window_screen.h"

struct report {
	const struct report_opts *opts;
	struct decoding decoding;
	struct function_stats stats;
};

/* Prints the calls of a task, whose is_gate marks hold, and when it was off the CPU. */
static int print_tree(const struct report *r, struct traced_task *task)
{
	struct graph_opts opts = r->opts->graph;
	struct call_tree *tree = &task->tree;
	int err = off_times__mark(&task->off, tree, opts.show_gate);

	if (r->opts->lines)
		opts.sites = &r->decoding.sites;
	if (!err && r->opts->lines)
		err = inlined_calls__insert(tree, &r->decoding.sites);
	if (err)
		return err;
	if (r->opts->json)
		return graph_json__print(stdout, tree, &r->decoding.names, &opts);
	graph__print(stdout, tree, &r->decoding.names, &opts);
	return 0;
}

static int print_task_line(const struct report *r, const struct traced_task *task)
{
	struct json_object *object;

	if (!r->opts->json) {
		printf("# %s %" PRId32 "/%" PRId32 "\n", task->name ? task->name : "idle", task->pid,
		       task->tid);
		return 0;
	}
	object = json_object_new_object();
	json__add_text(object, "task", task->name);
	json__add_i64(object, "pid", task->pid);
	json__add_i64(object, "tid", task->tid);
	return json_line__print(stdout, object);
}

static int print_task(const struct report *r, struct traced_task *task)
{
	int err;

	/* An idle task has only the way to the switch away from it. */
	if (!task->tree.nr || (!task->tid && !r->opts->graph.show_gate))
		return 0;
	gate_path__mark(&task->tree, &r->decoding.names);
	err = print_task_line(r, task);
	return err ? err : print_tree(r, task);
}

/* Finds the source lines of the calls, if they are to be shown. */
static int find_lines(struct report *r)
{
	return r->opts->lines ? site_lines__find(r->opts->decode.file, &r->decoding.sites, &r->decoding.names)
			      : 0;
}

static int print_tasks(struct report *r)
{
	_cleanup_free_ struct traced_task **tasks = NULL;
	int err;

	if (decoding__is_sampled(&r->decoding))
		return sample_screen__print_paths(stdout, &r->decoding, r->opts->json);
	tasks = traced_tasks__list(&r->decoding.tasks);
	if (!tasks)
		return -ENOMEM;
	err = find_lines(r);
	if (!r->opts->json)
		graph__print_head(stdout);
	for (size_t i = 0; !err && i < r->decoding.tasks.hash.nr; i++)
		err = print_task(r, tasks[i]);
	return err;
}

static int print_functions(struct report *r)
{
	if (decoding__is_sampled(&r->decoding))
		return sample_screen__print_functions(stdout, &r->decoding, &r->opts->functions,
						      r->opts->json);
	return functions__print(stdout, &r->stats, &r->opts->functions, r->opts->json);
}

static void release(struct report *r)
{
	decoding__release(&r->decoding);
	function_stats__release(&r->stats);
}

/* Decodes all of the capture, prints, and releases what @r has. */
static int show_all(struct report *r, int (*print)(struct report *r))
{
	unsigned int before = log__nr_errors();
	int err = decoding__all(&r->decoding, &r->opts->decode), print_err = print(r);

	err = err ? err : print_err;
	decoding__tell_errors(&r->decoding);
	if (!err)
		err = decoding__check(&r->decoding, &r->opts->decode);
	if (err)
		log__err_unless_said(before, "cannot show the capture", err);
	release(r);
	return err;
}

static int show_window(const struct report_opts *opts, const struct window *window,
		       const struct decode_work *work)
{
	struct report r = {.opts = opts};
	struct decode_opts part = opts->decode;
	struct traced_task *task;
	int err;

	part.work = *work;
	err = decoding__window(&r.decoding, &part, window, &task);

	if (!err && task)
		err = find_lines(&r);
	if (!err && !opts->json)
		window_screen__print_window(stdout, "# window ", window);
	if (!err && task && opts->json)
		err = print_task_line(&r, task);
	if (!err && task)
		err = print_tree(&r, task);
	decoding__tell_errors(&r.decoding);
	release(&r);
	return err;
}

/* Lists the windows that are asked for, in the order in which they are shown. Returns how many there are. */
static size_t select_windows(const struct report_opts *opts, const struct windows *windows,
			     struct window **ret)
{
	size_t nr = opts->number < windows->nr ? (size_t)opts->number : windows->nr;

	if (opts->select == REPORT_SLOWEST)
		return windows__slowest(windows, ret, nr);
	if (opts->select == REPORT_WINDOW) {
		ret[0] =
			opts->number && opts->number <= windows->nr ? &windows->list[opts->number - 1] : NULL;
		return ret[0] ? 1 : 0;
	}
	for (size_t i = 0; i < nr; i++)
		ret[i] = &windows->list[windows->nr - nr + i];
	return nr;
}

/* Reads the windows of the capture @file. Returns 0 or a negative errno, which is logged. */
static int read_windows(const char *file, struct windows *windows)
{
	int err = windows__read(windows, file);

	if (err == -ENOENT)
		log_err("'%s' does not tell of windows: it has none, or is not of auxbpf", file);
	return err;
}

/* The windows of a capture, and those of the task that is asked for. Zero-initialised is empty and valid. */
struct asked_windows {
	struct windows all, of_task;
};

static void asked_windows__release(struct asked_windows *asked)
{
	free(asked->of_task.list);
	windows__release(&asked->all);
}

/* Says which tasks have windows. Returns -ENOENT or -ENOMEM. */
static int tell_tasks(const char *file, const struct windows *windows)
{
	_cleanup_free_ struct task_name *names = calloc(windows->nr + 1, sizeof(*names));
	char text[1024];

	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < windows->nr; i++)
		names[i] = (struct task_name){windows->list[i].tid, windows->list[i].comm};
	task_names__write(names, windows->nr, text, sizeof(text));
	log_err("'%s' has no window of such a task; it has of: %s", file, windows->nr ? text : "none");
	return -ENOENT;
}

/* Finds the windows of the task that is asked for, once all are there. Returns 0 or a negative errno. */
static int find_task(const struct report_opts *opts, struct asked_windows *asked)
{
	int err = windows__of_task(&asked->all, &opts->decode.task, &asked->of_task);

	if (!err && task_filter__is_set(&opts->decode.task) && !asked->of_task.nr)
		err = tell_tasks(opts->decode.file, &asked->all);
	return err;
}

/* Reads the windows, and lists those that are asked for, for the caller to free. Returns 0 or a negative errno, which is logged. */
static int list_windows(const struct report_opts *opts, struct asked_windows *asked, struct window ***ret,
			size_t *nr)
{
	int err = read_windows(opts->decode.file, &asked->all);

	if (!err)
		err = find_task(opts, asked);
	*ret = err ? NULL : calloc(asked->of_task.nr + 1, sizeof(**ret));
	if (!*ret)
		return err ? err : -ENOMEM;
	*nr = select_windows(opts, &asked->of_task, *ret);
	for (size_t i = 0; i < *nr; i++)
		(*ret)[i] = &asked->all.list[(*ret)[i]->number - 1];
	if (*nr)
		return 0;
	log_err("there is no such window; '%s' has %zu", opts->decode.file, asked->all.nr);
	return -ENOENT;
}

static int show_windows(const struct report_opts *opts)
{
	_cleanup_(asked_windows__release) struct asked_windows windows = {0};
	_cleanup_free_ struct window **list = NULL;
	struct decode_work work = {.since = clock__ns(CLOCK_MONOTONIC)};
	int err = list_windows(opts, &windows, &list, &work.parts);

	if (!err && !opts->json)
		graph__print_head(stdout);
	for (work.part = 1; !err && work.part <= work.parts; work.part++) {
		/* Between lines of a window that are on the screen a status line would only disturb. */
		work.is_quiet = work.part > 1 && pager__is_terminal();
		err = show_window(opts, list[work.part - 1], &work);
	}
	return err;
}

int report__compare(const struct report_opts *opts)
{
	const struct compare_opts compare = {
		.decode = opts->decode, .with = opts->compare_with, .json = opts->json};
	_cleanup_(asked_windows__release) struct asked_windows windows = {0};
	_cleanup_(windows__release) struct windows others = {0};
	_cleanup_free_ struct window **list = NULL;
	struct report_opts chosen = *opts;
	size_t nr = 0;
	int err;

	if (opts->select == REPORT_ALL) {
		chosen.select = REPORT_SLOWEST;
		chosen.number = 1;
	}
	err = list_windows(&chosen, &windows, &list, &nr);
	if (!err && opts->compare_with)
		err = read_windows(opts->compare_with, &others);
	return err ? err : compare__run(&compare, &windows.all, &others, list, nr);
}

int report__graph(const struct report_opts *opts)
{
	struct report_opts with_switches = *opts;
	struct report r = {.opts = &with_switches};

	with_switches.decode.with_switches = true;
	with_switches.decode.with_sites = opts->lines;
	if (opts->select != REPORT_ALL)
		return show_windows(&with_switches);
	return show_all(&r, print_tasks);
}

int report__functions(const struct report_opts *opts)
{
	struct report r = {.opts = opts};

	r.stats.names = &r.decoding.names;
	r.decoding.tasks.stats = &r.stats;
	return show_all(&r, print_functions);
}

static int print_windows(const struct report_opts *opts, struct asked_windows *asked)
{
	int err = find_task(opts, asked);

	if (err)
		return err;
	return opts->json ? window_screen__print_json(stdout, &asked->of_task)
			  : window_screen__print(stdout, &asked->of_task);
}

int report__windows(const struct report_opts *opts)
{
	_cleanup_(asked_windows__release) struct asked_windows asked = {0};
	int err = read_windows(opts->decode.file, &asked.all);

	return err ? err : print_windows(opts, &asked);
}

int report__snapshots(const struct report_opts *opts)
{
	_cleanup_(snapshots__release) struct snapshots snapshots = {0};
	int err = snapshots__read(&snapshots, opts->decode.file, opts->rule);

	if (err == -ENOENT && opts->rule)
		log_err("'%s' is no directory of snapshots: it has no index.ndjson", opts->decode.file);
	if (err)
		return err;
	if (!opts->json)
		return snapshot_screen__print(stdout, &snapshots);
	snapshot_screen__print_json(stdout, &snapshots);
	return 0;
}

int report__any(const struct report_opts *opts)
{
	_cleanup_(asked_windows__release) struct asked_windows asked = {0};
	int err = report__snapshots(opts);

	if (err != -ENOENT || opts->rule)
		return err;
	err = windows__read(&asked.all, opts->decode.file);
	if (err == -ENOENT || (!err && !asked.all.nr))
		return report__graph(opts);
	return err ? err : print_windows(opts, &asked);
}
