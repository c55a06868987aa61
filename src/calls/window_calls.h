/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The calls of one window, with what is needed to compare them with those of another one.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_WINDOW_CALLS_H
#define AUXBPF_CALLS_WINDOW_CALLS_H

#include "calls/call_names.h"

/* Times of the trace may be so much off those of the window, ns: it tells the time now and then only. */
#define WINDOW_CALLS_SLACK 5000

struct window_calls {
	const struct call_tree *tree; /* whose is_gate marks hold */
	const struct call_numbers *numbers;
	uint64_t begin, end; /* of the window, ns */
	uint64_t off;	     /* ns that its task was off the CPU */
};

/*
 * Tells whether @call is one of the window's: neither auxbpf's own work, nor an error of the decoder, nor of another time, as
 * where the tree has a window in which this one was.
 */
static inline bool window_calls__has(const struct window_calls *window, const struct call *call)
{
	if (call->is_gate || call->mark == CALL_MARK_ERROR)
		return false;
	return call->begin <= window->end + WINDOW_CALLS_SLACK &&
	       (!call->is_over || call->end + WINDOW_CALLS_SLACK >= window->begin);
}

#endif
