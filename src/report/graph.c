// SPDX-License-Identifier: GPL-2.0-only
#include "report/graph.h"

#include <inttypes.h>
#include <string.h>

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

/* ECMA-48, "select graphic rendition". */
#define PLAIN "\033[m"
#define FAINT "\033[2m"
#define RED "\033[31m"
#define BOLD_RED "\033[1;31m"
#define YELLOW "\033[33m"
#define CYAN "\033[36m"

/* ftrace's marks of long calls. */
static const struct duration_mark {
	uint64_t above; /* ns */
	char mark;
	const char *color;
} marks[] = {
	{1000000000, '$', BOLD_RED},
	{100000000, '@', BOLD_RED},
	{10000000, '*', BOLD_RED},
	{1000000, '#', BOLD_RED},
	{100000, '!', RED},
	{10000, '+', YELLOW},
	{0, ' ', ""},
};

static const struct duration_mark *duration_mark(uint64_t ns)
{
	const struct duration_mark *mark = marks;

	while (mark->above && ns <= mark->above)
		mark++;
	return mark;
}

/* Begins a colour, until end_color(); "" is none. */
static void begin_color(const struct graph *g, const char *color)
{
	if (g->opts->color)
		fputs(color, g->to);
}

static void end_color(const struct graph *g, const char *color)
{
	if (g->opts->color && *color)
		fputs(PLAIN, g->to);
}

static void print_duration(const struct graph *g, uint64_t ns)
{
	const struct duration_mark *mark = duration_mark(ns);

	begin_color(g, mark->color);
	fprintf(g->to, "%c %4" PRIu64 ".%03" PRIu64 " us ", mark->mark, ns / 1000, ns % 1000);
	end_color(g, mark->color);
}

/* Begins a line: the CPU, and how long @call took if that is known and @with_duration. */
static void print_columns(const struct graph *g, const struct call *call, bool with_duration)
{
	fprintf(g->to, " %2" PRId32 ") ", call->cpu);
	if (with_duration)
		print_duration(g, call->end - call->begin);
	else
		fprintf(g->to, "%14s", "");
	fputs(" |  ", g->to);
}

static void print_indent(const struct graph *g, size_t depth)
{
	fprintf(g->to, "%*s", (int)(depth * INDENT), "");
}

/* Prints what a comment has, which is begun or goes on. */
static void print_comment(const struct graph *g, bool *is_begun, const char *text)
{
	fprintf(g->to, "%s%s", *is_begun ? ", " : " /* ", text);
	*is_begun = true;
}

/* Prints the source line of the place that a call was made from, without the directories of its file. */
static void print_line(const struct graph *g, bool *is_begun, const struct call *call)
{
	const struct source_place *place;
	const char *slash;

	if (!g->opts->sites)
		return;
	place = call_sites__place(g->opts->sites, call->from_site);
	if (!place->file || !place->line)
		return;
	slash = strrchr(place->file, '/');
	print_comment(g, is_begun, slash ? slash + 1 : place->file);
	fprintf(g->to, ":%" PRIu32, place->line);
}

/* Tells how the call came about, and how it ended, where that is not by a call and a return, and where it was made. */
static void print_note(const struct graph *g, const struct call *call)
{
	static const char *const kinds[] = {
		[CALL_JUMP] = "jumped to",     [CALL_SIGNAL] = "signal",   [CALL_RUNNING] = "was running",
		[CALL_CALLER] = "was running", [CALL_CALL] = NULL,	   [CALL_SYSCALL] = NULL,
		[CALL_INTERRUPT] = NULL,       [CALL_INLINED] = "inlined",
	};
	const char *kind = kinds[call->kind];
	bool is_begun = false;

	if (kind)
		print_comment(g, &is_begun, kind);
	else if (call->is_over && call->how == CALL_LEFT)
		print_comment(g, &is_begun, "left");
	print_line(g, &is_begun, call);
	if (is_begun)
		fputs(" */", g->to);
}

static bool has_inside(const struct graph *g, const struct call *call)
{
	for (const struct call *c = call->first; c; c = c->next) {
		if (!c->is_gate || g->opts->show_gate)
			return true;
	}
	return false;
}

/* Functions of user mode have a colour. */
static void print_name(const struct graph *g, const struct call *call)
{
	const char *color = call->is_kernel ? "" : CYAN;

	begin_color(g, color);
	fputs(function_names__get(g->names, call->function)->name, g->to);
	end_color(g, color);
}

static void print_begin(const struct graph *g, const struct call *call, size_t depth)
{
	bool inside = has_inside(g, call);

	if (call->kind == CALL_INTERRUPT)
		fprintf(g->to, " %2" PRId32 ") %14s |   ==========> |\n", call->cpu, "");
	print_columns(g, call, !inside && call__has_duration(call));
	print_indent(g, depth);
	print_name(g, call);
	fputs(inside ? "() {" : "();", g->to);
	print_note(g, call);
	fputc('\n', g->to);
}

static void print_end(const struct graph *g, const struct call *call, size_t depth)
{
	if (has_inside(g, call)) {
		print_columns(g, call, call__has_duration(call));
		print_indent(g, depth);
		fputs("} /* ", g->to);
		print_name(g, call);
		fprintf(g->to, "%s */\n", call->is_over ? "" : ", still running");
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
	fputs(" */", g->to);
}

static void print_mark(const struct graph *g, const struct call *call, size_t depth)
{
	print_columns(g, call, call->mark == CALL_MARK_GAP);
	print_indent(g, depth);
	begin_color(g, FAINT);
	if (call->mark == CALL_MARK_OFF)
		print_off(g, call);
	else
		fprintf(g->to, "/* %s */", call->text ? call->text : "not traced");
	end_color(g, FAINT);
	fputc('\n', g->to);
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
