// SPDX-License-Identifier: GPL-2.0-only
#include "capture/window_list.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_open(const struct auxbpf_window *w)
{
	return w->cut == AUXBPF_CUT_OPEN;
}

static bool belongs(const struct window_span *range, const struct auxbpf_window *w, bool is_new)
{
	if (!range)
		return true;
	if (w->begin > range->end)
		return false;
	return is_open(w) || w->end >= (is_new ? range->new_from : range->begin);
}

size_t window_list__keep(struct auxbpf_window *windows, size_t nr, const struct window_span *range,
			 uint64_t told)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (belongs(range, &windows[i], windows[i].number > told))
			windows[kept++] = windows[i];
	return kept;
}

uint64_t window_list__missing(const struct window_span *range, uint64_t told, uint64_t ended, size_t nr,
			      const struct auxbpf_window *oldest)
{
	const uint64_t gone = ended - nr, known = range ? told : 0;
	const bool reaches_back = range && nr && oldest->end < range->new_from;

	return gone > known && !reaches_back ? gone - known : 0;
}

/* Compares what tells windows apart. */
static int compare_identity(const struct auxbpf_window *a, const struct auxbpf_window *b)
{
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->kind - b->kind;
}

/* An open window comes behind itself when it has ended. */
static int compare(const void *a, const void *b)
{
	const struct auxbpf_window *one = a, *other = b;

	return compare_identity(one, other) ?: is_open(one) - is_open(other);
}

size_t window_list__sort(struct auxbpf_window *windows, size_t nr)
{
	size_t kept = 0;

	qsort(windows, nr, sizeof(*windows), compare);
	for (size_t i = 0; i < nr; i++)
		if (!is_open(&windows[i]) || !kept || compare_identity(&windows[kept - 1], &windows[i]))
			windows[kept++] = windows[i];
	return kept;
}
