/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of windows: which of them a capture tells of, and in what order.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CAPTURE_WINDOW_LIST_H
#define AUXBPF_CAPTURE_WINDOW_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "auxbpf_window.h"
#include "base/cleanup.h"

/* The windows that a capture tells of. NULL stands for all. Times are of the clock of the windows. */
struct window_span {
	uint64_t begin; /* those that end at this or later ... */
	uint64_t
		new_from; /* ... and, from this on, those that no earlier capture tells of; at most @begin, */
	uint64_t end;	  /* if they begin until this */
};

/*
 * Keeps those of the @nr windows of one CPU that are of @range, in their order, and returns how many. Earlier captures
 * tell of the first @told that ended there; windows that are open are always new.
 */
size_t window_list__keep(struct auxbpf_window *windows, size_t nr, const struct window_span *range,
			 uint64_t told) _nonnull_(1);

/*
 * Counts the windows of a CPU that were overwritten and may be of @range. @ended have ended there, of which @nr are
 * there still, the one that ended first as @oldest. The times of the others are not known, only that they ended
 * before that one.
 */
uint64_t window_list__missing(const struct window_span *range, uint64_t told, uint64_t ended, size_t nr,
			      const struct auxbpf_window *oldest);

/*
 * Sorts windows by their begin, and returns how many are left: one that is there twice, open and ended, is there once,
 * ended.
 */
size_t window_list__sort(struct auxbpf_window *windows, size_t nr) _nonnull_(1);

#endif
