/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the events that include/uapi/linux/perf_event.h numbers and no file of the kernel names. The names
 * are those of perf (tools/perf/util/parse-events.c).
 */
#ifndef AUXBPF_PURE_GENERIC_EVENT_H
#define AUXBPF_PURE_GENERIC_EVENT_H

#include <stdint.h>

#include "base/cleanup.h"
#include "pure/nearest.h"

struct generic_event {
	const char *name;
	uint32_t type; /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
	uint32_t config;
};

/* NULL if there is none of that name. */
const struct generic_event *generic_event__find(const char *name) _nonnull_(1);

/* Offers all of them for a wrong name. */
void generic_event__offer(const char *wanted, struct nearest *near) _nonnull_(1, 2);

#endif
