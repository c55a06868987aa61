/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives the functions that the compiler inlined levels of their own in a tree of calls.
 *
 * Their code is a part of their callers', so the trace does not tell when it is entered: a level has the calls, one behind the
 * other, that were made from one inlined function, and lasts from the begin of the first of them to the end of the last one.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_INLINED_CALLS_H
#define AUXBPF_CALLS_INLINED_CALLS_H

#include "calls/call_sites.h"
#include "calls/call_tree.h"

/*
 * Adds the levels (CALL_INLINED) to @tree, whose marks are all there and whose is_gate marks hold. Returns 0 or -ENOMEM, with the
 * levels of a part of it.
 */
int inlined_calls__insert(struct call_tree *tree, const struct call_sites *sites) _must_check_
	_nonnull_(1, 2);

#endif
