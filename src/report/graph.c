// SPDX-License-Identifier: GPL-2.0-only
#include "report/graph.h"

#include <inttypes.h>

#define INDENT 2

struct graph {
	FILE *to;
	const struct function_names *names;
	const struct graph_opts *opts;
};

void graph__print_head(FILE *to)
{
	fputs("# CPU  DURATION                  FUNCTION CALLS\n"
	      "# |     |   |                     |   |   |   |\n",
	      to);
}

/* ftrace's marks of long calls. */
static char duration_mark(uint64_t ns)
{
	static const struct {
		uint64_t above;
		char mark;
	} marks[] = {
		{1000000000, '$'}, {100000000, '@'}, {10000000, '*'},
		{1000000, '#'},	   {100000, '!'},    {10000, '+'},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (ns > marks[i].above)
			return marks[i].mark;
	}
	return ' ';
}

/* Begins a line: the CPU, and how long @call took if that is known and @with_duration. */
static void print_columns(const struct graph *g, const struct call *call, bool with_duration)
{
	uint64_t ns = call->end - call->begin;

	fprintf(g->to, " %2" PRId32 ") ", call->cpu);
	if (with_duration)
		fprintf(g->to, "%c %4" PRIu64 ".%03" PRIu64 " us ", duration_mark(ns), ns / 1000, ns % 1000);
	else
		fprintf(g->to, "%14s", "");
	fputs(" |  ", g->to);
}

static void print_indent(const struct graph *g, size_t depth)
{
	fprintf(g->to, "%*s", (int)(depth * INDENT), "");
}

/* Tells how the call came about, and how it ended, where that is not by a call and a return. */
static void print_note(const struct graph *g, const struct call *call)
{
	static const char *const kinds[] = {
		[CALL_JUMP] = "jumped to",     [CALL_SIGNAL] = "signal", [CALL_RUNNING] = "was running",
		[CALL_CALLER] = "was running", [CALL_CALL] = NULL,	 [CALL_SYSCALL] = NULL,
		[CALL_INTERRUPT] = NULL,
	};
	const char *kind = kinds[call->kind];

	if (kind)
		fprintf(g->to, " /* %s */", kind);
	else if (call->is_over && call->how == CALL_LEFT)
		fputs(" /* left */", g->to);
}

static bool has_inside(const struct graph *g, const struct call *call)
{
	for (const struct call *c = call->first; c; c = c->next) {
		if (!c->is_gate || g->opts->show_gate)
			return true;
	}
	return false;
}

static const char *name_of(const struct graph *g, const struct call *call)
{
	return function_names__get(g->names, call->function)->name;
}

static void print_begin(const struct graph *g, const struct call *call, size_t depth)
{
	bool inside = has_inside(g, call);

	if (call->kind == CALL_INTERRUPT)
		fprintf(g->to, " %2" PRId32 ") %14s |   ==========> |\n", call->cpu, "");
	print_columns(g, call, !inside && call__has_duration(call));
	print_indent(g, depth);
	fprintf(g->to, inside ? "%s() {" : "%s();", name_of(g, call));
	print_note(g, call);
	fputc('\n', g->to);
}

static void print_end(const struct graph *g, const struct call *call, size_t depth)
{
	if (has_inside(g, call)) {
		print_columns(g, call, call__has_duration(call));
		print_indent(g, depth);
		fprintf(g->to, "} /* %s%s */\n", name_of(g, call), call->is_over ? "" : ", still running");
	}
	if (call->kind == CALL_INTERRUPT)
		fprintf(g->to, " %2" PRId32 ") %14s |   <========== |\n", call->cpu, "");
}

/* The task was off the CPU: how long, and where it came back. */
static void print_off(const struct graph *g, const struct call *mark)
{
	uint64_t us = (mark->end - mark->begin) / 1000;

	fprintf(g->to, "/* off the CPU %" PRIu64 ".%03" PRIu64 " ms", us / 1000, us % 1000);
	if (mark->end_cpu != mark->cpu)
		fprintf(g->to, ", then on CPU %" PRId32, mark->end_cpu);
	fputs(" */\n", g->to);
}

static void print_mark(const struct graph *g, const struct call *call, size_t depth)
{
	print_columns(g, call, call->mark == CALL_MARK_GAP);
	print_indent(g, depth);
	if (call->mark == CALL_MARK_OFF)
		print_off(g, call);
	else
		fprintf(g->to, "/* %s */\n", call->text ? call->text : "not traced");
}

/* Prints what begins a call, or all of a mark. Returns whether the calls in it are to be printed. */
static bool print_first(const struct graph *g, const struct call *call, size_t depth)
{
	if (call->is_gate && !g->opts->show_gate)
		return false;
	if (call->mark)
		print_mark(g, call, depth);
	else
		print_begin(g, call, depth);
	return !call->mark;
}

void graph__print(FILE *to, struct call_tree *tree, const struct function_names *names,
		  const struct graph_opts *opts)
{
	const struct graph g = {.to = to, .names = names, .opts = opts};
	const struct call *call = tree->root.first;
	size_t depth = 0;

	while (call) {
		bool inside = print_first(&g, call, depth);

		if (inside && call->first) {
			call = call->first;
			depth++;
			continue;
		}
		if (inside)
			print_end(&g, call, depth);
		while (!call->next && call->parent != &tree->root) {
			call = call->parent;
			depth--;
			print_end(&g, call, depth);
		}
		call = call->next;
	}
}
