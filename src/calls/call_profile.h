/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the calls of one window took, by the path on which they were made: calls of one function from one place of the path are
 * added up, wherever in the window they were.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_CALL_PROFILE_H
#define AUXBPF_CALLS_CALL_PROFILE_H

#include "calls/path_table.h"
#include "calls/window_calls.h"

struct path_values {
	uint64_t calls; /* how often it was called; or nothing was traced */
	uint64_t
		total; /* ns in these calls, and those that they made, without the time that was not traced */
	uint64_t self; /* ns in these calls alone */
};

/* By path_id; a path behind the last one has zeros. Path 0 has all of the window as its total. Zero-initialised is valid. */
struct call_profile {
	struct path_values *values;
	size_t nr;
};

/*
 * Adds up the calls of @window. auxbpf's own work is left out, also of the times of its callers.
 * A time off the CPU is a step of its own, below the call that it interrupts; what the trace does not show of it is below the
 * window. Returns 0, -ENOSPC if there are too many paths, or -ENOMEM; @ret is to be released in any case.
 */
int call_profile__fold(struct call_profile *ret, struct path_table *paths,
		       const struct window_calls *window) _must_check_ _nonnull_(1, 2, 3);
void call_profile__release(struct call_profile *profile) _nonnull_(1);

static inline struct path_values call_profile__get(const struct call_profile *profile, path_id path)
{
	return path < profile->nr ? profile->values[path] : (struct path_values){0};
}

#endif
