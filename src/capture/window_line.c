// SPDX-License-Identifier: GPL-2.0-only
#include "capture/window_line.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "base/json.h"
#include "rules/names.h"
#include "rules/syscall_set.h"

/* The version of the format, which changes if a reader of the older one would be misled. */
#define VERSION 1

static const char *const cuts[] = {
	[AUXBPF_CUT_EXIT] = "exit", [AUXBPF_CUT_EXEC] = "exec",	    [AUXBPF_CUT_LEFT] = "left",
	[AUXBPF_CUT_OPEN] = "open", [AUXBPF_CUT_MISSED] = "missed",
};

static void add_known(json_object *to, const char *key, const char *text)
{
	if (text)
		json__add_text(to, key, text);
}

static void add_flag(json_object *to, const char *key, bool is_set)
{
	if (is_set)
		json__add_bool(to, key, true);
}

static void add_args(json_object *to, const struct auxbpf_window *w)
{
	json_object *args = json_object_new_array();

	for (size_t i = 0; i < ARRAY_SIZE(w->args); i++)
		json__append_u64(args, w->args[i]);
	json__add(to, "args", args);
}

static void add_syscall(json_object *to, const struct auxbpf_window *w)
{
	_cleanup_free_ char *name = NULL;

	json__add_text(to, "kind", "syscall");
	if (syscall__name(w->what, w->compat, &name))
		json__mark_lacking(to);
	add_known(to, "name", name);
	json__add_i64(to, "nr", w->what);
	add_flag(to, "compat", w->compat);
	add_args(to, w);
	if (w->cut)
		return;
	json__add_i64(to, "ret", w->ret);
	if (w->ret < 0)
		add_known(to, "errno", names__errno(-w->ret));
}

static void add_opener(json_object *to, const struct auxbpf_window *w, const char *const *functions,
		       size_t nr_functions)
{
	if (w->kind == AUXBPF_WINDOW_SYSCALL) {
		add_syscall(to, w);
		return;
	}
	json__add_text(to, "kind", "function");
	if (w->what >= 0 && (size_t)w->what < nr_functions && w->what < AUXBPF_WINDOW_FUNCTIONS)
		add_known(to, "name", functions[w->what]);
}

static void add_task(json_object *to, const struct auxbpf_window *w)
{
	char comm[AUXBPF_COMM_LEN + 1] = "";

	memcpy(comm, w->comm, sizeof(w->comm));
	json__add_u64(to, "pid", w->pid);
	json__add_u64(to, "tid", w->tid);
	add_known(to, "comm", comm);
}

static void add_place(json_object *to, const struct auxbpf_window *w)
{
	const bool open = w->cut == AUXBPF_CUT_OPEN;

	json__add_u64(to, "begin_ns", w->begin);
	if (!open)
		json__add_u64(to, "end_ns", w->end);
	json__add_u64(to, "cpu", w->cpu);
	if (!open)
		json__add_u64(to, "end_cpu", w->end_cpu);
	json__add_u64(to, "moves", w->moves);
	json__add_u64(to, "off_ns", w->off);
	if (w->cut < ARRAY_SIZE(cuts))
		add_known(to, "cut", cuts[w->cut]);
	add_flag(to, "untraced", w->untraced);
}

/* Appends the line and frees the object. */
static int add_line(struct buf *to, json_object *line)
{
	const char *json = json__line(line);

	if (json) {
		buf__add(to, json, strlen(json));
		buf__add(to, "\n", 1);
	} else {
		buf__fail(to, -ENOMEM);
	}
	json_object_put(line);
	return buf__error(to);
}

int window_line__add_header(struct buf *to, size_t nr, uint64_t left_out)
{
	json_object *line = json_object_new_object();

	json__add_i64(line, "auxbpf_windows", VERSION);
	json__add_u64(line, "windows", nr);
	json__add_u64(line, "left_out", left_out);
	return add_line(to, line);
}

int window_line__add(struct buf *to, const struct auxbpf_window *window, const char *const *functions,
		     size_t nr_functions)
{
	json_object *line = json_object_new_object();

	add_opener(line, window, functions, nr_functions);
	add_task(line, window);
	add_place(line, window);
	return add_line(to, line);
}
