/* SPDX-License-Identifier: GPL-2.0-only */
/* A window from one tracepoint to another: CATEGORY:EVENT,CATEGORY:EVENT. */
#ifndef AUXBPF_RULES_WINDOW_RANGE_H
#define AUXBPF_RULES_WINDOW_RANGE_H

#include "base/cleanup.h"
#include "rules/tracepoint_name.h"

struct window_range {
	struct tracepoint_name begin, end;
};

/*
 * Parses a range, whose tracepoints must be in @source. 0, -ENOMEM, or -EINVAL with a @message
 * (RULE_MESSAGE_SIZE is enough) that says what is wrong. @range is to be released after success.
 */
int window_range__parse(const char *text, const struct tracepoint_source *source, struct window_range *range,
			char *message, size_t size) _must_check_ _nonnull_(1, 2, 3, 4);

/* Releases what @range owns and leaves it empty. */
void window_range__release(struct window_range *range) _nonnull_(1);

#endif
