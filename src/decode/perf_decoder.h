/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decodes the trace of a capture: perf script does it, in a process of its own, with a filter of ours in it
 * (branch_filter.c), which is a part of this program.
 */
#ifndef AUXBPF_DECODE_PERF_DECODER_H
#define AUXBPF_DECODE_PERF_DECODER_H

#include "calls/sample.h"
#include "base/cleanup.h"

struct decode_opts {
	const char *file;    /* the capture */
	uint64_t begin, end; /* ns: this part of it alone */
	int32_t tid;	     /* this task alone; -1: all */
};

/* Told of what comes, in the order of time. Each returns 0 or a negative errno, which ends the decoding. */
struct decode_handler {
	int (*branch)(void *ctx, const struct branch *branch);
	/* The innermost of the frames comes first. */
	int (*sample)(void *ctx, const struct sample *sample, const struct sample_frame *frames);
	/* @name is "" for code without a symbol. The strings are gone after the call. */
	int (*function)(void *ctx, function_id id, const char *name, const char *object);
	int (*task)(void *ctx, int32_t tid, const char *name);
	/* A line of perf's: an error of its decoder. */
	int (*text)(void *ctx, const char *line);
};

/*
 * Returns 0; what a handler returned; -ENOENT if there is no perf, -EPROTO if perf ended with an error. These
 * two and errors of this module's own are logged, with what perf said on stderr.
 */
int perf_decoder__run(const struct decode_opts *opts, const struct decode_handler *handler,
		      void *ctx) _must_check_ _nonnull_(1, 2);

#endif
