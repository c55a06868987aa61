// SPDX-License-Identifier: GPL-2.0-only
#include "base/clock.h"

uint64_t clock__ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
