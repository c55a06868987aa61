/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints what is different in one window. */
#ifndef AUXBPF_REPORT_COMPARISON_H
#define AUXBPF_REPORT_COMPARISON_H

#include <stdio.h>

#include "calls/call_parting.h"
#include "calls/profile_diff.h"
#include "report/typical_windows.h"

struct comparison {
	const struct window *window, *typical; /* the typical one has the median duration, or one near it */
	const char *with;		       /* the capture that has the typical ones; NULL: the same */
	const struct typical_windows *others;
	size_t nr_typical; /* windows of which the typical times are */
	const struct call_names *names;
	const struct path_table *paths;
	const struct window_calls *here_calls, *typical_calls;
	const struct parting *parting; /* NULL: the paths do not part */
	const struct cause *causes;    /* the largest difference first */
	size_t nr_causes;
	int64_t difference; /* of all, ns */
};

/*
 * Prints the comparison as text for lines of @width characters, 0: of any length; as JSON, an object a line. Both return 0 or
 * -ENOMEM.
 */
int comparison__print(FILE *to, const struct comparison *c, size_t width) _must_check_ _nonnull_(1, 2);
int comparison__print_json(FILE *to, const struct comparison *c) _must_check_ _nonnull_(1, 2);

/*
 * Writes the steps of @path, as they fit into @width characters: of a longer one the middle is left out, never the first and the last one. A
 * width of 0 has room for all. The caller frees it; NULL if there is no memory.
 */
char *comparison__path(const struct comparison *c, path_id path, size_t width) _must_check_ _nonnull_(1);

#endif
