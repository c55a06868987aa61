// SPDX-License-Identifier: GPL-2.0-only
#include "pure/gate_moves.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* Entries that were never written are 0. */
void gate_moves__sort(uint64_t *ring, size_t size, struct gate_moves *ret)
{
	size_t empty = 0;

	qsort(ring, size, sizeof(*ring), compare);
	while (empty < size && !ring[empty])
		empty++;
	*ret = (struct gate_moves){.all = ring + empty, .nr = size - empty, .complete = empty};
}

/* How many moves had been made at @time. */
static size_t count_until(const struct gate_moves *moves, uint64_t time)
{
	size_t low = 0, high = moves->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (moves->all[middle] >> 1 <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool gate_moves__was_open(const struct gate_moves *moves, uint64_t time)
{
	size_t nr = count_until(moves, time);

	return nr && moves->all[nr - 1] & 1;
}

uint64_t gate_moves__since(const struct gate_moves *moves)
{
	return moves->complete || !moves->nr ? 0 : moves->all[0] >> 1;
}
