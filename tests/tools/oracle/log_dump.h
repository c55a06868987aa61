/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The oracle log as text, one record a line, to look at what a check found.
 */
#ifndef ORACLE_LOG_DUMP_H
#define ORACLE_LOG_DUMP_H

#include <stdbool.h>
#include <stdio.h>

#include "log_reader.h"
#include "symbols.h"

struct log_dump_opts {
	const struct symbols *syms; /* may be NULL */
	const bool *cpus;	    /* indexed by any CPU number; NULL: all */
	uint64_t first;		    /* the record (place in the file) to begin with */
	uint64_t count;		    /* how many to print at most */
	bool traced;		    /* only those that a decoder sees */
	FILE *out;
};

/* Prints records of all CPUs by TSC. Returns 0 or -ENOMEM. */
int log_dump__run(const struct oracle_log *log, const struct log_dump_opts *opts) _must_check_
	_nonnull_(1, 2);

#endif
