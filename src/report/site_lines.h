/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the source lines of the call sites in a capture. */
#ifndef AUXBPF_REPORT_SITE_LINES_H
#define AUXBPF_REPORT_SITE_LINES_H

#include "calls/call_sites.h"
#include "calls/function_names.h"

/*
 * Tells @sites the places of all call sites for which there is debug information, and adds the functions that were inlined there to
 * @names, which has those of all branches. @capture may have the files. If there is no debug information at all, that is logged
 * once. Returns 0 or a negative errno; a file that cannot be read is no error.
 */
int site_lines__find(const char *capture, struct call_sites *sites, struct function_names *names) _must_check_
	_nonnull_(1, 2, 3);

#endif
