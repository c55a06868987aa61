// SPDX-License-Identifier: GPL-2.0-only
#include "base/reserve.h"

#include "auxbpf_shared.h"

/* As many as a loaded machine may run at a time; few have more, and no cgroup with a limit that matters. */
#define MAX_ENTRIES (16u << 10)
/* Without memory to wait for, storage is refused for moments only. */
#define MIN_ENTRIES (1u << 10)
/* The part of the limit that one reserve may take at most. */
#define PART 10
/* The part that the storage of all tasks may take at most. */
#define STORAGE_PART 8
/* Of the kernel, for each: struct htab_elem with its key, and two buckets. */
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
