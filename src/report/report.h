/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows what a capture holds. */
#ifndef AUXBPF_REPORT_REPORT_H
#define AUXBPF_REPORT_REPORT_H

#include "decode/perf_decoder.h"
#include "report/functions.h"
#include "report/graph.h"

/* Which windows are shown. */
enum report_select {
	REPORT_ALL,	/* all of the trace, in windows or not */
	REPORT_WINDOW,	/* the one with the number */
	REPORT_SLOWEST, /* so many */
	REPORT_LAST,
};

struct report_opts {
	struct decode_opts decode;
	struct graph_opts graph;
	struct functions_opts functions;
	enum report_select select;
	uint64_t number;	  /* of or for @select */
	const char *rule;	  /* of the snapshots in a directory: those of this one; NULL: all */
	bool json;		  /* as JSON, an object a line */
	bool lines;		  /* calls with their source lines, and inlined functions */
	const char *compare_with; /* a capture that has the typical windows; NULL: the same one */
};

/*
 * Print the calls in a capture, task by task or window by window; a table of the functions that were called; the
 * windows. Each returns 0 or a negative errno, which is logged.
 */
int report__graph(const struct report_opts *opts) _must_check_ _nonnull_(1);
int report__functions(const struct report_opts *opts) _must_check_ _nonnull_(1);
int report__windows(const struct report_opts *opts) _must_check_ _nonnull_(1);

/* Prints what is different in the windows that are selected, the slowest one by default. Likewise. */
int report__compare(const struct report_opts *opts) _must_check_ _nonnull_(1);

/* Lists the snapshots in a directory. Likewise; -ENOENT without a message if it is none, and no rule is asked for. */
int report__snapshots(const struct report_opts *opts) _must_check_ _nonnull_(1);

/*
 * Does what suits the capture: shows its windows, or the calls if it does not tell of windows; of a directory of snapshots
 * which there are. Likewise.
 */
int report__any(const struct report_opts *opts) _must_check_ _nonnull_(1);

#endif
