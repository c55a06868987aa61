// SPDX-License-Identifier: GPL-2.0-only
#include "base/reserve.h"

#include "auxbpf_shared.h"

/*
 * About as many tasks as a loaded machine may run at a time. Few have more, and no cgroup whose limit matters
 * has.
 */
#define MAX_ENTRIES (16u << 10)
/* Enough without a limit: nothing waits for memory then, and storage is refused for moments only. */
#define MIN_ENTRIES (1u << 10)
/* One reserve may take a tenth of the limit. */
#define PART 10
/* The storage of all tasks may take an eighth of the limit. */
#define STORAGE_PART 8
/* Bytes that the kernel adds to each value: struct htab_elem with its key, and two buckets. */
#define OVERHEAD 96

uint32_t reserve__entries(uint64_t limit, size_t size)
{
	uint64_t entries = limit / PART / (size + OVERHEAD);

	if (limit == UINT64_MAX || entries < MIN_ENTRIES)
		return MIN_ENTRIES;
	return entries > MAX_ENTRIES ? MAX_ENTRIES : (uint32_t)entries;
}

int64_t reserve__storage(uint64_t limit)
{
	return limit == UINT64_MAX ? AUXBPF_STORAGE_UNLIMITED : (int64_t)(limit / STORAGE_PART);
}
