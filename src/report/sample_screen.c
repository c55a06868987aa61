// SPDX-License-Identifier: GPL-2.0-only
#include "report/sample_screen.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "report/json_line.h"

/* The samples of a function, in all tasks. */
struct row {
	const struct function *function;
	uint64_t total; /* those in it and in what it called */
	uint64_t self;
};

struct table {
	struct row *rows; /* by number of the function */
	size_t nr;
	uint64_t all;
};

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/* The names of the events are shown if there are several. */
static const struct call_path *top_of(const struct decoding *d, const struct traced_task *task)
{
	return d->has_events ? &task->samples : task->samples.first;
}

static size_t depth_of(const struct call_path *path, const struct call_path *top)
{
	size_t depth = 0;

	for (; path->parent != top; path = path->parent)
		depth++;
	return depth;
}

static int print_path_json(FILE *to, const struct call_path *path, size_t depth,
			   const struct function *function)
{
	struct json_object *object = json_object_new_object();

	json__add_u64(object, "depth", depth);
	json__add_text(object, "function", function->name);
	if (*function->object)
		json__add_text(object, "object", function->object);
	json__add_text(object, "mode", path->is_kernel ? "kernel" : "user");
	json__add_u64(object, "samples", path->calls);
	json__add_u64(object, "self", path->self);
	return json_line__print(to, object);
}

static int print_path(FILE *to, const struct call_path *path, const struct call_path *top,
		      const struct decoding *d, bool json)
{
	const struct function *function = function_names__get(&d->names, path->function);
	size_t depth = depth_of(path, top);

	if (json)
		return print_path_json(to, path, depth, function);
	fprintf(to, "%9" PRIu64 " %6.2f%% %9" PRIu64 "  %*s%s\n", path->calls,
		percent(path->calls, top->calls), path->self, (int)(2 * depth), "", function->name);
	return 0;
}

static int print_task_line(FILE *to, const struct traced_task *task, bool json)
{
	const char *name = task->name ? task->name : "idle";
	struct json_object *object;

	if (!json) {
		fprintf(to, "# %s %" PRId32 "/%" PRId32 ", %" PRIu64 " samples\n", name, task->pid, task->tid,
			task->samples.calls);
		return 0;
	}
	object = json_object_new_object();
	json__add_text(object, "task", task->name);
	json__add_i64(object, "pid", task->pid);
	json__add_i64(object, "tid", task->tid);
	json__add_u64(object, "samples", task->samples.calls);
	return json_line__print(to, object);
}

static int print_task(FILE *to, const struct decoding *d, struct traced_task *task, bool json)
{
	const struct call_path *top, *path;
	int err;

	if (!task->samples.first)
		return 0;
	err = sample_paths__sort(&task->samples, &d->names);
	if (!err)
		err = print_task_line(to, task, json);
	top = top_of(d, task);
	path = top->first;
	while (!err && path) {
		err = print_path(to, path, top, d, json);
		path = call_path__next_below(path, top);
	}
	return err;
}

int sample_screen__print_paths(FILE *to, const struct decoding *d, bool json)
{
	_cleanup_free_ struct traced_task **tasks = traced_tasks__list(&d->tasks);
	int err = tasks ? 0 : -ENOMEM;

	if (!err && !json)
		fputs("# SAMPLES        %      SELF  FUNCTION\n", to);
	for (size_t i = 0; !err && i < d->tasks.hash.nr; i++)
		err = print_task(to, d, tasks[i], json);
	return err;
}

/* Whether a caller of the path is the same function: its samples are counted there. */
static bool is_inside_itself(const struct call_path *path)
{
	for (const struct call_path *at = path->parent; at; at = at->parent) {
		if (at->function == path->function)
			return true;
	}
	return false;
}

static void count_task(struct table *table, const struct decoding *d, const struct traced_task *task)
{
	table->all += task->samples.calls;
	for (const struct call_path *path = &task->samples; path; path = call_path__next(path)) {
		struct row *row = &table->rows[path->function & ~FUNCTION_NAMELESS];

		/* The root, and the names of events. */
		if (!path->parent || path->parent == &task->samples)
			continue;
		row->function = function_names__get(&d->names, path->function);
		row->self += path->self;
		if (!is_inside_itself(path))
			row->total += path->calls;
	}
}

static int count_all(struct table *table, const struct decoding *d)
{
	_cleanup_free_ struct traced_task **tasks = traced_tasks__list(&d->tasks);

	table->nr = d->names.nr + 1;
	table->rows = calloc(table->nr, sizeof(*table->rows));
	if (!tasks || !table->rows)
		return -ENOMEM;
	for (size_t i = 0; i < d->tasks.hash.nr; i++)
		count_task(table, d, tasks[i]);
	return 0;
}

static int compare(uint64_t x, uint64_t y, const struct row *a, const struct row *b)
{
	if (x != y)
		return x < y ? 1 : -1;
	if (!a->function || !b->function)
		return !a->function - !b->function;
	return strcmp(a->function->name, b->function->name);
}

static int by_total(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return compare(x->total, y->total, x, y);
}

static int by_self(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return compare(x->self, y->self, x, y);
}

static int print_row_json(FILE *to, const struct row *row)
{
	struct json_object *object = json_object_new_object();

	json__add_text(object, "function", row->function->name);
	json__add_text(object, "object", row->function->object);
	json__add_u64(object, "total", row->total);
	json__add_u64(object, "self", row->self);
	return json_line__print(to, object);
}

static int print_row(FILE *to, const struct row *row, uint64_t all, bool json)
{
	if (json)
		return print_row_json(to, row);
	fprintf(to, "%9" PRIu64 " %6.2f%% %9" PRIu64 " %6.2f%%  %s", row->total, percent(row->total, all),
		row->self, percent(row->self, all), row->function->name);
	if (*row->function->object && *row->function->object != '[')
		fprintf(to, " (%s)", row->function->object);
	fputc('\n', to);
	return 0;
}

static int print_table(FILE *to, const struct table *table, const char *symbol, bool json)
{
	int err = 0;

	if (!json)
		fputs("#   TOTAL        %      SELF        %  FUNCTION\n", to);
	for (size_t i = 0; !err && i < table->nr; i++) {
		const struct row *row = &table->rows[i];

		if (row->function && (!symbol || !fnmatch(symbol, row->function->name, 0)))
			err = print_row(to, row, table->all, json);
	}
	return err;
}

int sample_screen__print_functions(FILE *to, const struct decoding *d, const struct functions_opts *opts,
				   bool json)
{
	const char *sort = opts->sort ? opts->sort : "total";
	struct table table = {.all = 0};
	int err;

	if (strcmp(sort, "total") && strcmp(sort, "self")) {
		log_err("samples tell nothing of '%s': they are sorted by total or self", sort);
		return -EINVAL;
	}
	err = count_all(&table, d);
	if (!err) {
		qsort(table.rows, table.nr, sizeof(*table.rows), strcmp(sort, "self") ? by_total : by_self);
		err = print_table(to, &table, opts->symbol, json);
	}
	free(table.rows);
	return err;
}
