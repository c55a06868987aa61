/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is typical of many windows: of each path the median of its calls and times, and 0 for a window that does not have it.
 *
 * Memory has a limit, whatever the number of windows: when there is no more room, every second window is left out, from
 * then on and of those before.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_TYPICAL_PROFILE_H
#define AUXBPF_CALLS_TYPICAL_PROFILE_H

#include "calls/call_profile.h"

/* A window with a path is one record; so many take 32 MiB. */
#define TYPICAL_RECORDS (2 * (size_t)PATH_TABLE_MAX)

/* Zero-initialised but for @max is empty and valid. */
struct typical_profile {
	size_t max;	    /* records */
	struct buf records; /* in the order of their windows */
	uint32_t seen;	    /* windows that were added */
	uint32_t step;	    /* one of so many of them is kept; 0: all */
	uint32_t nr;	    /* windows that are kept */
};

/* Adds a window. Returns 0 or -ENOMEM. */
int typical_profile__add(struct typical_profile *typical, const struct call_profile *profile) _must_check_
	_nonnull_(1, 2);

/*
 * Makes the profile of the medians; of two in the middle the lesser one counts. Returns 0 or -ENOMEM; @ret is to be
 * released in any case.
 */
int typical_profile__get(const struct typical_profile *typical, struct call_profile *ret) _must_check_
	_nonnull_(1, 2);
void typical_profile__release(struct typical_profile *typical) _nonnull_(1);

#endif
