/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decodes the trace of a capture: perf script does it, in a process of its own, with a filter of ours in it
 * (branch_filter.c), which is a part of this program. What takes more than a second has a status line; a signal that ends this
 * program ends perf.
 */
#ifndef AUXBPF_DECODE_PERF_DECODER_H
#define AUXBPF_DECODE_PERF_DECODER_H

#include "base/cleanup.h"
#include "calls/call_sites.h"
#include "calls/off_cpu.h"
#include "calls/sample.h"
#include "decode/decode_progress.h"
#include "decode/task_filter.h"

struct decode_opts {
	const char *file;    /* the capture */
	uint64_t begin, end; /* ns: this part of it alone */
	struct task_filter task;
	bool with_switches;	 /* tasks that leave a CPU or come to one are told, too */
	bool with_sites;	 /* call sites are told, too */
	struct decode_work work; /* what this is a part of, for the status line */
};

/*
 * Told of what comes, in the order of time; of switches in an order of their own, which may be before all branches. Each returns 0 or
 * a negative errno, which ends the decoding.
 */
struct decode_handler {
	int (*branch)(void *ctx, const struct branch *branch);
	/* The innermost of the frames comes first. */
	int (*sample)(void *ctx, const struct sample *sample, const struct sample_frame *frames);
	/* @name is "" for code without a symbol. The strings are gone after the call. */
	int (*function)(void *ctx, function_id id, const char *name, const char *object);
	int (*site)(void *ctx, site_id id, const struct call_site *site);
	/* Also of tasks that are not wanted, but have branches in this time. */
	int (*task)(void *ctx, int32_t tid, const char *name);
	/* Also of switches before and behind the part that is decoded, and of tasks with another name. */
	int (*task_switch)(void *ctx, const struct task_switch *s);
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
