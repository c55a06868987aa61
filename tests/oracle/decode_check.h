/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decode check: per CPU, what perf decoded is what ran while the unit traced. Same branches, same order,
 * none missing, none more.
 *
 * How a record of the log maps to a decoded branch (the whole list; nothing is merged, split or dropped):
 *  1. Branch kinds and UNIT records count; MARK and SWITCH records are no branches.
 *  2. Traced at both ends: from -> to. A UNIT record with both ends traced changed no more than the unit's
 * setup, for which a decoder gets no branch.
 *  3. Traced at `to` only: 0 -> to, perf's "tr strt" (intel-pt-decoder.c intel_pt_walk_trace(), case
 * TIP_PGE).
 *  4. Traced at `from` only: from -> 0, perf's "tr end" (intel_pt_walk_fup_tip() and intel_pt_walk_tip(),
 * TIP_PGD without an address). With an address filter TIP.PGD may carry the address gone to; that is not used
 * here.
 *  5. Traced at neither end: nothing.
 */
#ifndef ORACLE_DECODE_CHECK_H
#define ORACLE_DECODE_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "decode_text.h"
#include "log_reader.h"
#include "symbols.h"

struct decode_check_opts {
	const struct symbols *syms; /* for messages; may be NULL */
	const bool *cpus; /* which CPUs to compare, indexed to the larger number of both sides; NULL: all */
	bool tail;	  /* the trace's beginning may have been overwritten: align at the end */
	FILE *out;	  /* the report */
};

/*
 * Compares and writes a report: a line per CPU, and around the first difference of each CPU what ran and what
 * was decoded. Returns 0 if all is equal and there is something that is equal, 1 if not, -ENOMEM.
 */
int decode_check__run(const struct oracle_log *log, const struct decode_text *text,
		      const struct decode_check_opts *opts) _must_check_ _nonnull_(1, 2, 3);

#endif
