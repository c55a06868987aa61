/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The name of one regular event made into its attributes; a part of sample_set.
 */
#ifndef AUXBPF_TRACE_SAMPLE_EVENT_H
#define AUXBPF_TRACE_SAMPLE_EVENT_H

#include "trace/sample_set.h"

/*
 * Takes one event apart, "cpu-clock", "sched:sched_switch:k", "cpu/event=0x3c,period=1000/u", "r1a8",
 * "mem:0x4000/8:w": @ret gets its name and what of the attributes is its own. Logs what is wrong; 0, -EINVAL
 * or -ENOMEM. @ret is to be released in any case.
 */
int sample_event__parse(const char *root, const char *spec, struct sample_event *ret) _must_check_
	_nonnull_(1, 2, 3);

/* Adds modifiers, those of the group that it is in. Logs what is wrong; 0 or -EINVAL. */
int sample_event__modify(struct sample_event *event, const char *modifiers) _must_check_ _nonnull_(1, 2);

/*
 * For the modifier P: sets the highest precision with which @try_open, which returns a descriptor or a negative
 * errno, opens the event; none if it opens with none.
 */
void sample_event__settle_precision(struct sample_event *event, int (*try_open)(struct perf_event_attr *attr))
	_nonnull_(1, 2);

void sample_event__release(struct sample_event *event) _nonnull_(1);

#endif
