// SPDX-License-Identifier: GPL-2.0-only
#include "session/memory_room.h"

#include <stdint.h>
#include <unistd.h>

#include "kernel/memory_limit.h"

/* Of the machine's memory, and of what there is room for where that is little: one MiB is for 8,000 mappings. */
#define MAPS_PART 2048
#define MAPS_AT_LEAST (8ull << 20)
#define MAPS_OF_LIMIT 16

size_t memory_room__maps(const char *root)
{
	const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	const uint64_t limit = memory_limit__read(root) / MAPS_OF_LIMIT;
	uint64_t max = pages > 0 ? (uint64_t)pages * (uint64_t)size / MAPS_PART : 0;

	if (max < MAPS_AT_LEAST)
		max = MAPS_AT_LEAST;
	return max < limit ? max : limit;
}
