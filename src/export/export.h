/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the calls in a capture, or in all snapshots of a directory, as a file that another program shows. */
#ifndef AUXBPF_EXPORT_EXPORT_H
#define AUXBPF_EXPORT_EXPORT_H

#include "decode/perf_decoder.h"
#include "export/call_walk.h"

struct export_format;

struct export_opts {
	struct decode_opts decode;
	struct call_limits limits;
	const char
		*rule;	 /* of a directory: the snapshots of this rule alone (snapshots__read()); NULL: all */
	uint64_t window; /* its number: nothing else is exported; 0: all */
	const struct export_format *format;
	const char *out; /* the file; NULL or "-": stdout */
};

/* Finds a format by its name, "folded"; NULL if there is none of it. */
const struct export_format *export__format(const char *name) _must_check_ _nonnull_(1);

/* Decodes and writes. Returns 0 or a negative errno, which is logged. */
int export__run(const struct export_opts *opts) _must_check_ _nonnull_(1);

#endif
