/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts the trace unit's clock to perf time by what the kernel publishes in the first page of every perf
 * mapping (include/uapi/linux/perf_event.h, struct perf_event_mmap_page, "cap_user_time_zero").
 */
#ifndef AUXBPF_PERFDATA_TSC_CONV_H
#define AUXBPF_PERFDATA_TSC_CONV_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct tsc_conv {
	uint64_t zero;
	uint64_t cycles;
	uint64_t mask;
	uint32_t mult;
	uint16_t shift;
	bool cap_zero;
	bool cap_short;
};

/*
 * Reads the conversion from the first page of any mapped perf event, under its sequence lock. Returns 0,
 * -EAGAIN if the page keeps changing, or -EOPNOTSUPP if this kernel or clock gives no conversion
 * (@ret->cap_zero is false then).
 */
int tsc_conv__read(const struct perf_event_mmap_page *page, struct tsc_conv *ret) _must_check_
	_nonnull_(1, 2);

/* Returns the perf time of the counter's value @tsc; 0 without a conversion. */
uint64_t tsc_conv__to_time(const struct tsc_conv *conv, uint64_t tsc) _nonnull_(1);

/* Reads the counter on this CPU: the TSC, or CNTVCT_EL0 on arm64. */
uint64_t tsc__read(void);

#endif
