/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One regular event, and its name made into its attributes; several of them are a sample_set.
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
	char name[128]; /* as given */
	struct perf_event_attr attr;
	uint64_t config3;  /* for perf_event__open_config3() */
	bool most_precise; /* as precise as the CPU can */
	size_t nr_members; /* of the group that it leads: the events behind it */
	/* Of a tracepoint: its category and its file "format", or NULL and nothing. */
	char *category;
	struct buf format;
};

/*
 * Takes one event apart, "cpu-clock", "sched:sched_switch:k", "cpu/event=0x3c,period=1000/u", "r1a8",
 * "mem:0x4000/8:w": @ret gets its name and what of the attributes is its own. Logs what is wrong; 0, -EINVAL
 * or -ENOMEM. @ret is to be released in any case.
 */
int sample_event__parse(const char *root, const char *spec, struct sample_event *ret) _must_check_
	_nonnull_(1, 2, 3);

/* Whether what is done at the event is done to that of others too: a tracepoint. */
bool sample_event__is_shared(const struct sample_event *event) _nonnull_(1);

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
