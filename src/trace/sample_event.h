/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One regular event, whose name is turned into its attributes; several of them are a sample_set.
 */
#ifndef AUXBPF_TRACE_SAMPLE_EVENT_H
#define AUXBPF_TRACE_SAMPLE_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

struct sample_event {
	char name[128]; /* as it was given */
	struct perf_event_attr attr;
	uint64_t config3;  /* for perf_event__open_config3() */
	bool most_precise; /* it is to be as precise as the CPU can */
	size_t nr_members; /* of the group that it leads: the events behind it */
	/* The category and the file "format" of a tracepoint. Otherwise NULL and empty. */
	char *category;
	struct buf format;
};

/*
 * Parses one event, "cpu-clock", "sched:sched_switch:k", "cpu/event=0x3c,period=1000/u", "r1a8",
 * "mem:0x4000/8:w". @ret gets its name and the attributes that the name tells. Logs what is wrong; 0, -EINVAL
 * or -ENOMEM. @ret is to be released in any case.
 */
int sample_event__parse(const char *root, const char *spec, struct sample_event *ret) _must_check_
	_nonnull_(1, 2, 3);

/* Tells whether other users of the event get what is done to it, too: that is so for a tracepoint. */
bool sample_event__is_shared(const struct sample_event *event) _nonnull_(1);

/* Adds the modifiers of the event's group. Logs what is wrong; 0 or -EINVAL. */
int sample_event__modify(struct sample_event *event, const char *modifiers) _must_check_ _nonnull_(1, 2);

/*
 * For the modifier P: sets the highest precision with which @try_open, which returns a descriptor or a
 * negative errno, opens the event; none if it fails with each.
 */
void sample_event__settle_precision(struct sample_event *event, int (*try_open)(struct perf_event_attr *attr))
	_nonnull_(1, 2);

void sample_event__release(struct sample_event *event) _nonnull_(1);

#endif
