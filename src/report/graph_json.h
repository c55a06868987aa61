/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes calls as JSON, an object a line, in the order in which they were entered; auxbpf.8 documents them. So
 * they can be read one by one, however many there are.
 */
#ifndef AUXBPF_REPORT_GRAPH_JSON_H
#define AUXBPF_REPORT_GRAPH_JSON_H

#include <stdio.h>

#include "calls/call_tree.h"
#include "calls/function_names.h"
#include "report/graph.h"

/* Writes the calls of @tree, whose is_gate marks hold. Returns 0 or -ENOMEM. */
int graph_json__print(FILE *to, struct call_tree *tree, const struct function_names *names,
		      const struct graph_opts *opts) _must_check_ _nonnull_(1, 2, 3, 4);

#endif
