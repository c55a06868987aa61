/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Durations by what they belong to: windows by their system call or function, snapshots by their rule.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_REPORT_DURATION_GROUPS_H
#define AUXBPF_REPORT_DURATION_GROUPS_H

#include <stddef.h>

#include "calls/histogram.h"

struct duration_group {
	const char *name; /* the caller's */
	uint64_t nr;	  /* of its members, with a duration or without; the caller counts them */
	uint64_t total;	  /* ns */
	struct histogram durations;
};

/* Zero-initialised is empty and valid. */
struct duration_groups {
	struct duration_group **list; /* in the order in which they were added */
	size_t nr;
};

/* Finds the group @name, which must live as long, or adds it; NULL if there is no memory. */
struct duration_group *duration_groups__get(struct duration_groups *groups, const char *name) _must_check_
	_nonnull_(1, 2);
void duration_groups__release(struct duration_groups *groups) _nonnull_(1);

/* Adds the duration of a member, ns. */
void duration_group__add(struct duration_group *group, uint64_t ns) _nonnull_(1);

#endif
