/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compares the calls that `auxbpf report` shows with those that ran. The log
 * has the kind of each branch: so a call is a call here because the instruction was one, whatever the decoder made of it. It
 * must have all branches, not only those that were traced: what returned while nothing was traced is known by that.
 */
#ifndef ORACLE_CALL_CHECK_H
#define ORACLE_CALL_CHECK_H

#include "call_list.h"
#include "gate_check.h"
#include "log_reader.h"
#include "symbols.h"

struct call_check_opts {
	const struct symbols *syms;
	const char *report;		/* the file */
	const struct number_list *tids; /* of these tasks alone; empty: of all but the idle ones */
	uint64_t least;			/* so many calls must be there */
	FILE *out;			/* what was found goes there */
};

/* Returns 0 if the calls are the same, -EBADMSG if not, or another negative errno. */
int call_check__run(const struct oracle_log *log, const struct call_check_opts *opts) _must_check_
	_nonnull_(1, 2);

#endif
