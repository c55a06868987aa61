/* SPDX-License-Identifier: GPL-2.0-only */
/* Decodes a capture, and keeps what a view of it needs: the calls of its tasks, or what is counted of them. */
#ifndef AUXBPF_REPORT_DECODING_H
#define AUXBPF_REPORT_DECODING_H

#include "base/buf.h"
#include "calls/shared_names.h"
#include "decode/perf_decoder.h"
#include "report/traced_tasks.h"

/* Zero-initialised is empty and valid; what is set in @tasks says what is counted in place of trees. */
struct decoding {
	struct function_names names;
	struct shared_names shared; /* how the capture numbers them */
	struct call_sites sites;    /* if they are told */
	struct traced_tasks tasks;
	struct task_filter wanted;	 /* of the tasks */
	uint64_t nr_branches, nr_errors; /* errors of the decoder */
	uint64_t nr_samples;		 /* of regular events */
	function_id event;		 /* the name of that of the last sample, in the place of a function */
	bool has_events;		 /* there are samples of several */
	struct buf *switches; /* where those of all tasks are added, struct task_switch; NULL: nowhere */
};

/*
 * Decodes the part of a capture that @opts tells, window by window where the capture tells of them. What was decoded
 * before an error is kept. Returns 0 or a negative errno.
 */
int decoding__all(struct decoding *d, const struct decode_opts *opts) _must_check_ _nonnull_(1, 2);

/* Does the same for a capture that has these windows. */
int decoding__windows(struct decoding *d, const struct decode_opts *opts,
		      const struct windows *windows) _must_check_ _nonnull_(1, 2, 3);

/*
 * Ends a capture, so that another one can be decoded after it into the same tasks: calls do not go on from one to the next, and
 * functions with one name in one file are one. Returns 0 or -ENOMEM.
 */
int decoding__end_capture(struct decoding *d) _must_check_ _nonnull_(1);

/*
 * Decodes one window of it: of its task only what ran in its time, which the trace knows to some microseconds. *@ret is
 * the task, whose is_gate marks hold; NULL if nothing of it is in the trace, which is logged
 * unless the task has samples near it. Returns 0 or a negative errno.
 */
int decoding__window(struct decoding *d, const struct decode_opts *opts, const struct window *window,
		     struct traced_task **ret) _must_check_ _nonnull_(1, 2, 3, 4);

/* Logs how many errors the decoder has found. */
void decoding__tell_errors(const struct decoding *d) _nonnull_(1);

/* Whether what was decoded has samples of regular events, and no trace. */
bool decoding__is_sampled(const struct decoding *d) _must_check_ _nonnull_(1);

/* Returns 0 if there was any branch or sample in what was decoded; else -ENODATA, which is logged. */
int decoding__check(const struct decoding *d, const struct decode_opts *opts) _must_check_ _nonnull_(1, 2);

void decoding__release(struct decoding *d) _nonnull_(1);

#endif
