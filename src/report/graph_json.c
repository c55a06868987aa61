// SPDX-License-Identifier: GPL-2.0-only
#include "report/graph_json.h"

#include <errno.h>

#include "report/json_line.h"

static const char *const kind_names[] = {
	[CALL_CALL] = "call",		[CALL_JUMP] = "jump",	    [CALL_SYSCALL] = "syscall",
	[CALL_INTERRUPT] = "interrupt", [CALL_SIGNAL] = "signal",   [CALL_RUNNING] = "running",
	[CALL_CALLER] = "caller",	[CALL_INLINED] = "inlined",
};
static const char *const end_names[] = {
	[CALL_RETURNED] = "returned",
	[CALL_JUMPED] = "jumped",
	[CALL_LEFT] = "left",
};

static void describe_call(struct json_object *object, const struct call *call,
			  const struct function *function)
{
	json__add_text(object, "function", function->name);
	if (*function->object)
		json__add_text(object, "object", function->object);
	json__add_text(object, "mode", call->is_kernel ? "kernel" : "user");
	json__add_text(object, "kind", kind_names[call->kind]);
	json__add_text(object, "end", call->is_over ? end_names[call->how] : "running");
	if (call->kind != CALL_RUNNING && call->kind != CALL_CALLER)
		json__add_u64(object, "begin_ns", call->begin);
	if (call->is_over)
		json__add_u64(object, "end_ns", call->end);
	if (call->is_gate)
		json__add_bool(object, "gate", true);
}

/* Tells where a call was made, or where a function was inlined. */
static void describe_place(struct json_object *object, const struct source_place *place)
{
	if (!place->file)
		return;
	json__add_text(object, "call_file", place->file);
	if (place->line)
		json__add_u64(object, "call_line", place->line);
}

static const char *const mark_names[] = {
	[CALL_MARK_GAP] = "gap",
	[CALL_MARK_ERROR] = "error",
	[CALL_MARK_OFF] = "off",
};

static void describe_mark(struct json_object *object, const struct call *mark)
{
	json__add_text(object, "mark", mark_names[mark->mark]);
	if (mark->text)
		json__add_text(object, "text", mark->text);
	json__add_u64(object, "begin_ns", mark->begin);
	json__add_u64(object, "end_ns", mark->end);
	if (mark->mark == CALL_MARK_OFF)
		json__add_i64(object, "end_cpu", mark->end_cpu);
}

static int print_call(FILE *to, const struct call *call, size_t depth, const struct function_names *names,
		      const struct call_sites *sites)
{
	struct json_object *object = json_object_new_object();

	json__add_u64(object, "depth", depth);
	json__add_i64(object, "cpu", call->cpu);
	if (call->mark)
		describe_mark(object, call);
	else
		describe_call(object, call, function_names__get(names, call->function));
	if (sites && !call->mark)
		describe_place(object, call_sites__place(sites, call->from_site));
	return json_line__print(to, object);
}

int graph_json__print(FILE *to, struct call_tree *tree, const struct function_names *names,
		      const struct graph_opts *opts)
{
	struct call *call = tree->root.first;
	size_t depth = 0;

	while (call) {
		bool shown = !call->is_gate || opts->show_gate;
		int err = shown ? print_call(to, call, depth, names, opts->sites) : 0;

		if (err)
			return err;
		if (shown && call->first) {
			call = call->first;
			depth++;
			continue;
		}
		while (!call->next && call->parent != &tree->root) {
			call = call->parent;
			depth--;
		}
		call = call->next;
	}
	return 0;
}
