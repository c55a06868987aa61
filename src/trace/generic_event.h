/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of events that have a number in include/uapi/linux/perf_event.h but no file of the kernel. The names
 * are those of perf (tools/perf/util/parse-events.c).
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_TRACE_GENERIC_EVENT_H
#define AUXBPF_TRACE_GENERIC_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/nearest.h"

struct generic_event {
	const char *name;
	uint32_t type; /* PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE or PERF_TYPE_HW_CACHE */
	uint32_t config;
};

/* Finds an event by its name; false if there is none. The name in @ret is @name. */
bool generic_event__find(const char *name, struct generic_event *ret) _must_check_ _nonnull_(1, 2);

/* Offers all names for a wrong one. */
void generic_event__offer(const char *wanted, struct nearest *near) _nonnull_(1, 2);

#endif
