// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/clock_pair.h"

uint64_t clock_pair__to_perf(const struct clock_pair *pair, uint64_t monotonic)
{
	return pair->perf + (monotonic - pair->monotonic);
}

uint64_t clock_pair__between(const struct clock_pair *from, const struct clock_pair *to, uint64_t monotonic)
{
	__int128 passed = (int64_t)(monotonic - to->monotonic);

	if (to->monotonic <= from->monotonic)
		return clock_pair__to_perf(to, monotonic);
	passed = passed * (int64_t)(to->perf - from->perf) / (int64_t)(to->monotonic - from->monotonic);
	return to->perf + (uint64_t)(int64_t)passed;
}
