/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two clocks read at one moment: CLOCK_MONOTONIC, which triggers use, and the clock of the events, which
 * beside a trace is perf's own. Both run evenly, but not at quite the same rate.
 */
#ifndef AUXBPF_PERFDATA_CLOCK_PAIR_H
#define AUXBPF_PERFDATA_CLOCK_PAIR_H

#include <stdint.h>

#include "base/cleanup.h"

struct clock_pair {
	uint64_t monotonic;
	uint64_t perf;
};

/* Converts the time of a moment shortly before or after the pair to the events' clock. */
uint64_t clock_pair__to_perf(const struct clock_pair *pair, uint64_t monotonic) _nonnull_(1);

/* Converts the time of any moment to the events' clock, at the rate that both had from @from to @to. */
uint64_t clock_pair__between(const struct clock_pair *from, const struct clock_pair *to, uint64_t monotonic)
	_nonnull_(1, 2);

#endif
