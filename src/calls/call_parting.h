/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the paths of two windows part: the first call that is not the same in both, in the order in which they ran.
 *
 * Interrupts of devices and timers come wherever they like, so no paths part there; exceptions are of the path.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_CALL_PARTING_H
#define AUXBPF_CALLS_CALL_PARTING_H

#include "calls/window_calls.h"

/* How one of the windows goes on where the paths part. */
struct parting_side {
	const struct call *in;	   /* the call in which they part; the root of the tree: in none */
	const struct call *behind; /* the last call of @in that both have; NULL: they part at its begin */
	const struct call *first;  /* what this window calls next, and not the other one; NULL: nothing */
	size_t nr;		   /* calls until the paths are one again */
	const struct call *then;   /* where they are; NULL: they are not until @in ends */
};

struct parting {
	struct parting_side here, typical;
	bool is_cut; /* there were too many calls to find out whether the paths become one again */
};

/* Finds where they part. Returns 1, 0 if they do not, or -ENOMEM. */
int call_parting__find(const struct window_calls *here, const struct window_calls *typical,
		       struct parting *ret) _must_check_ _nonnull_(1, 2, 3);

/* Returns the call that comes behind @call in its caller, as a path counts them; NULL behind the last one. */
const struct call *call_parting__next(const struct window_calls *window, const struct call *call) _must_check_
	_nonnull_(1, 2);

#endif
