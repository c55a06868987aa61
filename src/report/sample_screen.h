/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the samples of regular events: by the paths of calls that led to them, or by function. */
#ifndef AUXBPF_REPORT_SAMPLE_SCREEN_H
#define AUXBPF_REPORT_SAMPLE_SCREEN_H

#include <stdio.h>

#include "report/decoding.h"
#include "report/functions.h"

/*
 * Print the samples of all tasks as a tree of callers for each, those with most samples first; or a table of functions, sorted by
 * "total" or "self". With @json an object a line instead. They return 0 or a negative errno, which is logged unless it is -ENOMEM.
 */
int sample_screen__print_paths(FILE *to, const struct decoding *d, bool json) _must_check_ _nonnull_(1, 2);
int sample_screen__print_functions(FILE *to, const struct decoding *d, const struct functions_opts *opts,
				   bool json) _must_check_ _nonnull_(1, 2, 3);

#endif
