// SPDX-License-Identifier: GPL-2.0-only
#include "gate/window_ring.h"

#include <stdbool.h>

uint32_t window_ring__size(uint32_t nr_cpus)
{
	uint32_t size = AUXBPF_WINDOWS_OF_CPU_MOST;

	while (size > AUXBPF_WINDOWS_OF_CPU_LEAST && (uint64_t)size * nr_cpus > AUXBPF_WINDOWS_OF_ALL)
		size /= 2;
	return size;
}

/* The entry is whole if its number is the same before and after it was copied. */
static bool copy(const struct auxbpf_window *entry, uint64_t number, struct auxbpf_window *ret)
{
	if (__atomic_load_n(&entry->number, __ATOMIC_ACQUIRE) != number)
		return false;
	*ret = *(const volatile struct auxbpf_window *)entry;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&entry->number, __ATOMIC_RELAXED) == number;
}

void window_ring__read(const struct auxbpf_window *ring, uint32_t size, uint64_t ended, struct buf *to)
{
	struct auxbpf_window window;

	for (uint64_t n = ended > size ? ended - size : 0; n < ended; n++)
		if (copy(&ring[n % size], n + 1, &window))
			buf__add(to, &window, sizeof(window));
}
