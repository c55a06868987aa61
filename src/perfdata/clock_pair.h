/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What two clocks showed at one moment: that of triggers, CLOCK_MONOTONIC, and that of the events, which
 * beside a trace is perf's own. Both run evenly, but not quite alike.
 */
#ifndef AUXBPF_PERFDATA_CLOCK_PAIR_H
#define AUXBPF_PERFDATA_CLOCK_PAIR_H

#include <stdint.h>

#include "base/cleanup.h"

struct clock_pair {
	uint64_t monotonic;
	uint64_t perf;
};

/* The events' time of a moment shortly before or behind the pair. */
uint64_t clock_pair__to_perf(const struct clock_pair *pair, uint64_t monotonic) _nonnull_(1);

/* The same of any moment, by how both went on from @from to @to. */
uint64_t clock_pair__between(const struct clock_pair *from, const struct clock_pair *to, uint64_t monotonic)
	_nonnull_(1, 2);

#endif
