/* SPDX-License-Identifier: GPL-2.0-only */
/* A window from one tracepoint to another: CATEGORY:EVENT,CATEGORY:EVENT. */
#ifndef AUXBPF_RULES_WINDOW_RANGE_H
#define AUXBPF_RULES_WINDOW_RANGE_H

#include "base/cleanup.h"
#include "rules/tracepoint_name.h"

/* Where a window begins or ends. */
struct range_point {
	struct tracepoint_name name;
	/*
	 * The number of the one system call that `syscalls:sys_enter_openat` is about, else -1. Such tracepoints are
	 * only perf's and ftrace's view of the two that all calls share, which BPF programs are attached to.
	 */
	int syscall;
};

struct window_range {
	struct range_point begin, end;
};

/* Returns the tracepoint that programs are attached to for @point, without its category: "sys_enter". */
const char *range_point__event(const struct range_point *point) _nonnull_(1);

/*
 * Parses a range, whose tracepoints must be in @source; system calls may also be named as libseccomp does. 0, -ENOMEM, or -EINVAL with a @message
 * (RULE_MESSAGE_SIZE is enough) that says what is wrong. @range is to be released after success.
 */
int window_range__parse(const char *text, const struct tracepoint_source *source, struct window_range *range,
			char *message, size_t size) _must_check_ _nonnull_(1, 2, 3, 4);

/* Releases what @range owns and leaves it empty. */
void window_range__release(struct window_range *range) _nonnull_(1);

#endif
