/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the time went in which one window differs from the typical ones. Each time counts once.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_PROFILE_DIFF_H
#define AUXBPF_CALLS_PROFILE_DIFF_H

#include "calls/call_profile.h"

enum cause_kind {
	CAUSE_SELF,	    /* both have the call: the time in it alone */
	CAUSE_ONLY_HERE,    /* the window alone has it: with all that it called */
	CAUSE_ONLY_TYPICAL, /* the typical ones alone have it: likewise */
	CAUSE_CALLS,	    /* it was called much more, or less, often: likewise */
	CAUSE_UNTRACED, /* a time that was not traced: off the CPU, from the kernel; it is in none of the others */
};

struct cause {
	path_id path;
	enum cause_kind kind;
	uint64_t here, typical; /* ns */
	uint64_t calls_here, calls_typical;
};

static inline int64_t cause__difference(const struct cause *cause)
{
	return (int64_t)(cause->here - cause->typical);
}

/*
 * Lists the causes for which @here took another time than @typical, the largest difference first, as an array of @nr for the
 * caller to free. Returns 0 or -ENOMEM.
 */
int profile_diff__list(const struct path_table *paths, const struct call_profile *here,
		       const struct call_profile *typical, struct cause **ret, size_t *nr) _must_check_
	_nonnull_(1, 2, 3, 4, 5);

#endif
