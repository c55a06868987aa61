/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decode check: per CPU, what perf decoded is what ran while the unit traced. Same branches, same order,
 * none missing, none more (traced_stream.h has what a decoder must show of a record).
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
	/* CPUs share the buffer: where trace begins again, its end before may not be shown; not with @tail */
	bool shared_sink;
	bool tail;	/* the trace's beginning may have been overwritten: align at the end */
	uint64_t least; /* so many branches are equal, of all CPUs together */
	FILE *out;	/* the report */
};

/*
 * Compares and writes a report: a line per CPU, and around the first difference of each CPU what ran and what
 * was decoded. Returns 0 if all is equal and there is something that is equal, 1 if not, -ENOMEM.
 */
int decode_check__run(const struct oracle_log *log, const struct decode_text *text,
		      const struct decode_check_opts *opts) _must_check_ _nonnull_(1, 2, 3);

#endif
