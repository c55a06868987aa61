// SPDX-License-Identifier: GPL-2.0-only
#include "report/windows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "report/ndjson.h"

#define FILE_NAME "windows.ndjson"

/* Reads the arguments of a system call; windows of other kinds have none. */
static void read_args(struct window *w, struct json_object *line)
{
	struct json_object *args;

	w->has_args = json_object_object_get_ex(line, "args", &args) &&
		      json_object_is_type(args, json_type_array) &&
		      json_object_array_length(args) == ARRAY_SIZE(w->args);
	for (size_t i = 0; w->has_args && i < ARRAY_SIZE(w->args); i++)
		w->args[i] = json_object_get_uint64(json_object_array_get_idx(args, i));
}

/* Describes the return value of a system call: "3", or "-2 ENOENT". */
static char *result_of(struct json_object *line)
{
	const char *ret = json__get_text(line, "ret"), *error = json__get_text(line, "errno");
	char text[64];

	if (!ret)
		return NULL;
	snprintf(text, sizeof(text), "%s%s%s", ret, error ? " " : "", error ? error : "");
	return text__printable(text);
}

static void release_window(struct window *w)
{
	free(w->name);
	free(w->comm);
	free(w->result);
}

static int read_window(struct window *w, struct json_object *line)
{
	const char *name = json__get_text(line, "name"), *kind = json__get_text(line, "kind"),
		   *comm = json__get_text(line, "comm");
	struct json_object *end;

	if (!kind)
		return -EBADMSG;
	*w = (struct window){
		.name = text__printable(name ? name : kind),
		.comm = text__printable(comm ? comm : ""),
		.result = result_of(line),
		.pid = (int32_t)json__get_u64(line, "pid"),
		.tid = (int32_t)json__get_u64(line, "tid"),
		.cpu = (int32_t)json__get_u64(line, "cpu"),
		.is_over = json_object_object_get_ex(line, "end_ns", &end),
		.begin = json__get_u64(line, "begin_ns"),
		.end = json__get_u64(line, "end_ns"),
		.off = json__get_u64(line, "off_ns"),
		.moves = json__get_u64(line, "moves"),
	};
	read_args(w, line);
	return w->name && w->comm ? 0 : -ENOMEM;
}

static int add_window(struct windows *windows, struct json_object *line)
{
	size_t cap = windows->cap ? windows->cap * 2 : 256;
	struct window *grown;
	int err;

	if (windows->nr == windows->cap) {
		grown = reallocarray(windows->list, cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		windows->list = grown;
		windows->cap = cap;
	}
	err = read_window(&windows->list[windows->nr], line);
	windows->nr += err != -EBADMSG;
	return err;
}

static int read_line(struct windows *windows, const char *text)
{
	struct json_object *line = json_tokener_parse(text);
	int err = 0;

	if (!json_object_is_type(line, json_type_object))
		err = -EBADMSG;
	else if (json__get_text(line, "auxbpf_windows"))
		windows->left_out = json__get_u64(line, "left_out");
	else
		err = add_window(windows, line);
	json_object_put(line);
	return err;
}

static int read_lines(struct windows *windows, FILE *file, const char *path)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0, nr = 0;
	int err = 0;

	while (!err && getline(&text, &size, file) > 0) {
		nr++;
		err = read_line(windows, text);
	}
	if (err == -EBADMSG)
		log_err("%s: line %zu tells of no window; the file is damaged", path, nr);
	else if (err)
		log_err("no memory for the windows in %s", path);
	return err;
}

static int by_begin(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

int windows__read(struct windows *windows, const char *capture)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_fclose_ FILE *file = NULL;
	int err = ndjson__open(capture, FILE_NAME, &path, &file);

	if (!err)
		err = read_lines(windows, file, path);
	if (err)
		return err;
	if (windows->nr)
		qsort(windows->list, windows->nr, sizeof(*windows->list), by_begin);
	for (size_t i = 0; i < windows->nr; i++)
		windows->list[i].number = i + 1;
	return 0;
}

/* Two captures tell of one window; of them that one comes first which has seen its end. */
static int by_window(const void *a, const void *b)
{
	const struct window *x = a, *y = b;
	int order;

	if (x->begin != y->begin || x->tid != y->tid)
		return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : x->tid < y->tid ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order ? order : y->is_over - x->is_over;
}

static bool is_one(const struct window *a, const struct window *b)
{
	return a->begin == b->begin && a->tid == b->tid && !strcmp(a->name, b->name);
}

void windows__unite(struct windows *windows)
{
	size_t kept = 0;

	if (windows->nr)
		qsort(windows->list, windows->nr, sizeof(*windows->list), by_window);
	for (size_t i = 0; i < windows->nr; i++) {
		struct window *w = &windows->list[i];

		if (kept && is_one(&windows->list[kept - 1], w)) {
			release_window(w);
			continue;
		}
		windows->list[kept] = *w;
		windows->list[kept].number = kept + 1;
		kept++;
	}
	windows->nr = kept;
}

void windows__release(struct windows *windows)
{
	for (size_t i = 0; i < windows->nr; i++)
		release_window(&windows->list[i]);
	free(windows->list);
	*windows = (struct windows){0};
}

int windows__of_task(const struct windows *windows, const struct task_filter *task, struct windows *ret)
{
	struct window *list = calloc(windows->nr + 1, sizeof(*list));
	size_t nr = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < windows->nr; i++) {
		if (task_filter__takes(task, windows->list[i].tid, windows->list[i].comm))
			list[nr++] = windows->list[i];
	}
	*ret = (struct windows){.list = list, .nr = nr, .cap = windows->nr, .left_out = windows->left_out};
	return 0;
}

/* The longest first; of equal ones the first. */
static int by_duration(const void *a, const void *b)
{
	const struct window *x = *(struct window *const *)a, *y = *(struct window *const *)b;

	if (window__duration(x) != window__duration(y))
		return window__duration(x) < window__duration(y) ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

size_t windows__slowest(const struct windows *windows, struct window **ret, size_t max)
{
	_cleanup_free_ struct window **all = calloc(windows->nr + 1, sizeof(struct window *));
	size_t nr = 0;

	if (!all)
		return 0;
	for (size_t i = 0; i < windows->nr; i++) {
		if (windows->list[i].is_over)
			all[nr++] = &windows->list[i];
	}
	qsort(all, nr, sizeof(struct window *), by_duration);
	nr = nr < max ? nr : max;
	memcpy(ret, all, nr * sizeof(struct window *));
	return nr;
}

static int by_task(const void *a, const void *b)
{
	const struct window_begin *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

struct window_begin *windows__begins(const struct windows *windows)
{
	struct window_begin *begins = calloc(windows->nr + 1, sizeof(*begins));

	for (size_t i = 0; begins && i < windows->nr; i++) {
		const struct window *w = &windows->list[i];

		begins[i] = (struct window_begin){.tid = w->tid,
						  .time = w->begin,
						  .end = w->is_over ? w->end : UINT64_MAX,
						  .number = w->number};
	}
	if (begins)
		qsort(begins, windows->nr, sizeof(*begins), by_task);
	return begins;
}
