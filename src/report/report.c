// SPDX-License-Identifier: GPL-2.0-only
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "calls/gate_path.h"
#include "report/graph_json.h"
#include "report/json_line.h"
#include "report/snapshot_screen.h"
#include "report/traced_tasks.h"
#include "report/window_screen.h"

/* The trace has no more exact times than this, ns; the branches of a window may seem to be so much before or after it. */
#define MARGIN 100000

struct report {
	const struct report_opts *opts;
	struct function_names names;
	struct traced_tasks tasks;
	struct function_stats stats;
	uint64_t nr_branches, nr_errors;
};

static int on_branch(void *ctx, const struct branch *branch)
{
	struct report *r = ctx;
	struct branch b = *branch;

	r->nr_branches++;
	b.from_function = function_names__same(&r->names, b.from_function);
	b.to_function = function_names__same(&r->names, b.to_function);
	return traced_tasks__branch(&r->tasks, &b);
}

static int on_function(void *ctx, function_id id, const char *name, const char *object)
{
	struct report *r = ctx;

	return function_names__add(&r->names, id, name, object);
}

static int on_task(void *ctx, int32_t tid, const char *name)
{
	struct report *r = ctx;

	return traced_tasks__name(&r->tasks, tid, name);
}

/* perf prints an error so (tools/perf/util/event.c, auxtrace_error_fprintf()); other lines are no errors. */
static int on_text(void *ctx, const char *line)
{
	struct report *r = ctx;
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
	snprintf(error, sizeof(error), "%.*s", (int)strcspn(line + at, "\n"), line + at);
	r->nr_errors++;
	return traced_tasks__error(&r->tasks, tid, cpu, seconds * 1000000000 + ns, error);
}

static const struct decode_handler handler = {
	.branch = on_branch,
	.function = on_function,
	.task = on_task,
	.text = on_text,
};

/* Prints the calls of a tree, whose is_gate marks hold. */
static int print_tree(const struct report *r, struct call_tree *tree)
{
	if (r->opts->json)
		return graph_json__print(stdout, tree, &r->names, &r->opts->graph);
	graph__print(stdout, tree, &r->names, &r->opts->graph);
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
	json__add(object, "task", task->name ? json__text(task->name) : NULL);
	json__add(object, "pid", json_object_new_int(task->pid));
	json__add(object, "tid", json_object_new_int(task->tid));
	return json_line__print(stdout, object);
}

static int print_task(const struct report *r, struct traced_task *task)
{
	int err;

	/* An idle task has only the way to the switch away from it. */
	if (!task->tree.nr || (!task->tid && !r->opts->graph.show_gate))
		return 0;
	gate_path__mark(&task->tree, &r->names);
	err = print_task_line(r, task);
	return err ? err : print_tree(r, &task->tree);
}

static int print_tasks(const struct report *r)
{
	_cleanup_free_ struct traced_task **tasks = calloc(r->tasks.hash.nr + 1, sizeof(*tasks));
	int err = 0;

	if (!tasks)
		return -ENOMEM;
	traced_tasks__list(&r->tasks, tasks);
	for (size_t i = 0; !err && i < r->tasks.hash.nr; i++)
		err = print_task(r, tasks[i]);
	return err;
}

static int print_functions(const struct report *r)
{
	return functions__print(stdout, &r->stats, &r->opts->functions, r->opts->json);
}

static void release(struct report *r)
{
	traced_tasks__release(&r->tasks);
	function_stats__release(&r->stats);
	function_names__release(&r->names);
}

/* Decodes a part of the capture. What was decoded before an error is kept. */
static int decode(struct report *r, const struct decode_opts *opts)
{
	r->tasks.names = &r->names;
	return perf_decoder__run(opts, &handler, r);
}

/* Says what the reader must know of the decoder. */
static void tell_errors(const struct report *r)
{
	if (r->nr_errors)
		log_warn("%" PRIu64 " error%s of the decoder: calls may be missing there", r->nr_errors,
			 log__plural(r->nr_errors));
}

/* Decodes all of the capture, window by window where it tells of them. */
static int decode_all(struct report *r)
{
	_cleanup_(windows__release) struct windows windows = {0};
	_cleanup_free_ struct window_begin *begins = NULL;
	int err = windows__read(&windows, r->opts->decode.file);

	if (err && err != -ENOENT)
		return err;
	begins = windows__begins(&windows);
	if (!begins)
		return -ENOMEM;
	r->tasks.begins = begins;
	r->tasks.nr_begins = windows.nr;
	err = decode(r, &r->opts->decode);
	r->tasks.begins = NULL;
	r->tasks.nr_begins = 0;
	return err;
}

/* Decodes all of the capture, prints, and releases what @r has. */
static int show_all(struct report *r, int (*print)(const struct report *r))
{
	unsigned int before = log__nr_errors();
	int err = decode_all(r), print_err = print(r);

	err = err ? err : print_err;
	tell_errors(r);
	if (!err && !r->nr_branches) {
		log_err("'%s' has no trace of a processor's branches", r->opts->decode.file);
		err = -ENODATA;
	}
	if (err)
		log__err_unless_said(before, "cannot show the capture", err);
	release(r);
	return err;
}

/* Shows one window: of its task only what ran in its time, which the trace knows to some microseconds. */
static int show_window(const struct report_opts *opts, const struct window *window)
{
	struct report r = {.opts = opts};
	struct decode_opts part = opts->decode;
	struct traced_task *task;
	int err;

	part.tid = window->tid;
	part.begin = window->begin > MARGIN ? window->begin - MARGIN : 0;
	part.end = window->is_over ? window->end + MARGIN : UINT64_MAX;
	err = decode(&r, &part);
	task = id_hash__find(&r.tasks.hash, (uint32_t)window->tid);
	if (!err && !opts->json)
		window_screen__print_window(stdout, "# window ", window);
	if (!err && task) {
		call_tree__keep(&task->tree, window->begin, window->is_over ? window->end : UINT64_MAX);
		gate_path__mark(&task->tree, &r.names);
		err = opts->json ? print_task_line(&r, task) : 0;
		err = err ? err : print_tree(&r, &task->tree);
	}
	if (!err && !task)
		log_warn("window %zu: nothing of it is in the trace", window->number);
	tell_errors(&r);
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

/* Reads the windows of the capture. Returns 0 or a negative errno, which is logged. */
static int read_windows(const struct report_opts *opts, struct windows *windows)
{
	int err = windows__read(windows, opts->decode.file);

	if (err == -ENOENT)
		log_err("'%s' does not tell of windows: it has none, or is not of auxbpf", opts->decode.file);
	return err;
}

static int show_windows(const struct report_opts *opts)
{
	_cleanup_(windows__release) struct windows windows = {0};
	_cleanup_free_ struct window **list = NULL;
	int err = read_windows(opts, &windows);
	size_t nr;

	list = err ? NULL : calloc(windows.nr + 1, sizeof(*list));
	if (!list)
		return err ? err : -ENOMEM;
	nr = select_windows(opts, &windows, list);
	if (!nr) {
		log_err("there is no such window; '%s' has %zu", opts->decode.file, windows.nr);
		return -ENOENT;
	}
	if (!opts->json)
		graph__print_head(stdout);
	for (size_t i = 0; !err && i < nr; i++)
		err = show_window(opts, list[i]);
	return err;
}

int report__graph(const struct report_opts *opts)
{
	struct report r = {.opts = opts};

	if (opts->select != REPORT_ALL)
		return show_windows(opts);
	if (!opts->json)
		graph__print_head(stdout);
	return show_all(&r, print_tasks);
}

int report__functions(const struct report_opts *opts)
{
	struct report r = {.opts = opts};

	r.stats.names = &r.names;
	r.tasks.stats = &r.stats;
	return show_all(&r, print_functions);
}

static int print_windows(const struct report_opts *opts, const struct windows *windows)
{
	return opts->json ? window_screen__print_json(stdout, windows)
			  : window_screen__print(stdout, windows);
}

int report__windows(const struct report_opts *opts)
{
	_cleanup_(windows__release) struct windows windows = {0};
	int err = read_windows(opts, &windows);

	return err ? err : print_windows(opts, &windows);
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
	_cleanup_(windows__release) struct windows windows = {0};
	int err = report__snapshots(opts);

	if (err != -ENOENT || opts->rule)
		return err;
	err = windows__read(&windows, opts->decode.file);
	if (err == -ENOENT || (!err && !windows.nr))
		return report__graph(opts);
	return err ? err : print_windows(opts, &windows);
}
