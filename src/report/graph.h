/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints calls as ftrace's function_graph does (Documentation/trace/ftrace.rst, "function graph tracer"). */
#ifndef AUXBPF_REPORT_GRAPH_H
#define AUXBPF_REPORT_GRAPH_H

#include <stdio.h>

#include "calls/call_sites.h"
#include "calls/call_tree.h"
#include "calls/function_names.h"

struct graph_opts {
	bool show_gate;			/* also auxbpf's own work */
	bool color;			/* for a terminal */
	const struct call_sites *sites; /* the source lines of calls; NULL: they are not shown */
};

/* Prints the lines that tell of the columns. */
void graph__print_head(FILE *to) _nonnull_(1);

/* Prints the calls of @tree, whose is_gate marks hold, to @to. */
void graph__print(FILE *to, struct call_tree *tree, const struct function_names *names,
		  const struct graph_opts *opts) _nonnull_(1, 2, 3, 4);

#endif
