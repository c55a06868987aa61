/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events of -e: at most one of a trace PMU, and any number of regular ones.
 */
#ifndef AUXBPF_COMMANDS_EVENT_OPTIONS_H
#define AUXBPF_COMMANDS_EVENT_OPTIONS_H

#include <stddef.h>

#include "base/cleanup.h"

/* Zero-initialised: none were named. */
struct event_options {
	char *trace;	/* the event of a trace PMU; NULL: none */
	char **samples; /* regular events and groups of them */
	size_t nr_samples;
};

/* Adds the events of a list, "intel_pt//k,cpu-clock". Logs what is wrong; 0, -EINVAL or -ENOMEM. */
int event_options__add(struct event_options *o, const char *list) _must_check_ _nonnull_(1, 2);

void event_options__release(struct event_options *o) _nonnull_(1);

#endif
