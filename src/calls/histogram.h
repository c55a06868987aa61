/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How durations are spread: counted in steps that grow with the duration, so that each percentile is known to
 * within a sixteenth of itself, whatever the number of durations.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_HISTOGRAM_H
#define AUXBPF_CALLS_HISTOGRAM_H

#include <stdint.h>

#include "base/cleanup.h"

#define HISTOGRAM_SUB_BITS 4 /* steps for each power of two, as a power of two */
#define HISTOGRAM_STEPS ((64 - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

/* Zero-initialised is empty and valid. */
struct histogram {
	uint64_t nr;
	uint64_t min, max;
	uint32_t steps[HISTOGRAM_STEPS]; /* a step that is full stays at its most */
};

void histogram__add(struct histogram *h, uint64_t duration) _nonnull_(1);

/*
 * Returns the duration that @permille of all do not exceed, 0 if there are none. It is the middle of its step, but
 * neither less than the least nor more than the most that there was.
 */
uint64_t histogram__permille(const struct histogram *h, unsigned int permille) _must_check_ _nonnull_(1);

#endif
