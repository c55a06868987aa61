/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints how often functions were called, and how long that took. */
#ifndef AUXBPF_REPORT_FUNCTIONS_H
#define AUXBPF_REPORT_FUNCTIONS_H

#include <stdio.h>

#include "calls/function_stats.h"

struct functions_opts {
	const char *sort;   /* a column, as functions__is_column() knows them; NULL: total */
	const char *symbol; /* a pattern as of fnmatch(3): these functions alone; NULL: all */
};

bool functions__is_column(const char *name) _nonnull_(1);

/* Returns the names of all columns, with blanks in between. */
const char *functions__columns(void) _must_check_;

/* Prints a table, the largest first; with @json an object a line instead. Returns 0 or -ENOMEM. */
int functions__print(FILE *to, const struct function_stats *stats, const struct functions_opts *opts,
		     bool json) _must_check_ _nonnull_(1, 2, 3);

#endif
