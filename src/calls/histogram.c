// SPDX-License-Identifier: GPL-2.0-only
#include "calls/histogram.h"

#define SUBS (1u << HISTOGRAM_SUB_BITS)

/* Small durations have a step each; after that each power of two has SUBS steps. */
static unsigned int step_of(uint64_t duration)
{
	unsigned int shift;

	if (duration < SUBS)
		return (unsigned int)duration;
	shift = 63 - HISTOGRAM_SUB_BITS - (unsigned int)__builtin_clzll(duration);
	return (shift << HISTOGRAM_SUB_BITS) + (unsigned int)(duration >> shift);
}

/* The middle of a step, as step_of() numbers them. */
static uint64_t middle_of(unsigned int step)
{
	unsigned int shift;
	uint64_t low;

	if (step < 2 * SUBS)
		return step;
	shift = (step >> HISTOGRAM_SUB_BITS) - 1;
	low = (uint64_t)(SUBS + (step & (SUBS - 1))) << shift;
	return low + (1ull << (shift - 1));
}

void histogram__add(struct histogram *h, uint64_t duration)
{
	uint32_t *step = &h->steps[step_of(duration)];

	if (*step < UINT32_MAX)
		++*step;
	if (!h->nr || duration < h->min)
		h->min = duration;
	if (duration > h->max)
		h->max = duration;
	h->nr++;
}

uint64_t histogram__permille(const struct histogram *h, unsigned int permille)
{
	uint64_t seen = 0, middle = h->max;

	for (unsigned int step = 0; step < HISTOGRAM_STEPS; step++) {
		seen += h->steps[step];
		if (seen && (__uint128_t)seen * 1000 >= (__uint128_t)h->nr * permille) {
			middle = middle_of(step);
			break;
		}
	}
	return middle < h->min ? h->min : middle > h->max ? h->max : middle;
}
