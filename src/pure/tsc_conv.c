// SPDX-License-Identifier: GPL-2.0-only
#include "pure/tsc_conv.h"

#include <errno.h>

#define LOCK_TRIES 10000

static void tsc_conv__copy(const volatile struct perf_event_mmap_page *page, struct tsc_conv *ret)
{
	ret->mult = page->time_mult;
	ret->shift = page->time_shift;
	ret->zero = page->time_zero;
	ret->cycles = page->time_cycles;
	ret->mask = page->time_mask;
	ret->cap_zero = page->cap_user_time_zero;
	ret->cap_short = page->cap_user_time_short;
}

int tsc_conv__read(const struct perf_event_mmap_page *page, struct tsc_conv *ret)
{
	uint32_t seq;
	int i;

	for (i = 0; i < LOCK_TRIES; i++) {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		tsc_conv__copy(page, ret);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(seq & 1) && __atomic_load_n(&page->lock, __ATOMIC_RELAXED) == seq)
			return ret->cap_zero && ret->mult ? 0 : -EOPNOTSUPP;
	}
	return -EAGAIN;
}
