// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/tsc_conv.h"

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

uint64_t tsc_conv__to_time(const struct tsc_conv *conv, uint64_t tsc)
{
	uint64_t quot, rem;

	if (!conv->cap_zero)
		return 0;
	if (conv->cap_short)
		tsc = conv->cycles + ((tsc - conv->cycles) & conv->mask);
	quot = tsc >> conv->shift;
	rem = tsc & ((1ULL << conv->shift) - 1);
	return conv->zero + quot * conv->mult + ((rem * conv->mult) >> conv->shift);
}

uint64_t tsc__read(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t val;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(val));
	return val;
#else
	return 0;
#endif
}
