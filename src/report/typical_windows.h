/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which windows are the typical ones of a kind: those that one system call or function has opened, and whose duration is in
 * the middle half.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_REPORT_TYPICAL_WINDOWS_H
#define AUXBPF_REPORT_TYPICAL_WINDOWS_H

#include "report/windows.h"

struct typical_windows {
	const char *name;   /* of what opened them, the caller's */
	const bool *chosen; /* by number - 1: these are none of them; NULL: there are no such */
	size_t nr;	    /* of this kind that are over and not chosen, typical or not */
	uint64_t median;    /* of their durations, ns; of two in the middle the lesser one */
	uint64_t low, high; /* the typical ones are not shorter and not longer, ns */
};

/*
 * Finds which of @windows are typical of what @name has opened, without those that are @chosen. Returns 0 or -ENOMEM.
 */
int typical_windows__find(struct typical_windows *ret, const struct windows *windows, const char *name,
			  const bool *chosen) _must_check_ _nonnull_(1, 2, 3);

/* Tells whether @window, one of those in which they were found, is typical. */
bool typical_windows__has(const struct typical_windows *typical, const struct window *window) _must_check_
	_nonnull_(1, 2);

#endif
