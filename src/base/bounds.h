/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where something belongs in a sorted list.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_BASE_BOUNDS_H
#define AUXBPF_BASE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* Tells whether the element @i of the list is before what is looked for; @ctx has both. */
typedef bool (*bounds_fn)(const void *ctx, size_t i);

/* Returns the first of @nr elements for which @is_before does not hold, @nr if it holds for all. It holds for none behind that one. */
static inline size_t bounds__lower(size_t nr, bounds_fn is_before, const void *ctx)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(ctx, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
