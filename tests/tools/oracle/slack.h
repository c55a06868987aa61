/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The slack of the gate check, named by symbol and bounded: in which functions, and for how many branches at
 * most, the gate's own path may run at each end of a window.
 *
 * A slack file has lines "limit KIND NUMBER" and "KIND PATTERN...", patterns as in fnmatch(3); # begins a
 * comment. KIND is
 *	open		from a window's first branch to the gate's opening
 *	close		from the sys_exit tracepoint to the gate's closing
 *	call		from the branch to a function to the gate's opening
 *	return		from the function's return to the gate's closing
 *	switch-out	from the gate's closing to the switch to another task
 *	switch-in	around the switch to a task with an open window: the task before it
 *			from the gate's opening on, or the task itself until the gate opens
 *	all		shorthand for these six (patterns only)
 *	exit		functions that are the sys_exit tracepoint
 *	end		functions that come after it, on the way to user mode
 *	own		functions that are the gate's with all that they call: a function that they call on
 *			the way to the gate may call any (gate_calls.h); a limit of own is for one such
 *			call, to its return
 *	called		functions that those of own may call so, besides those of the six kinds above
 *	wait		functions that go around in a short loop until another CPU or a device has done
 *			something
 *	fork		functions whose call makes a new task ready to run
 *	child		functions in which a new task begins to run that leaves its maker's system call
 * What a number bounds is code, not time, so that a loaded machine adds nothing to it. The limits of the six
 * do not count what goes around again in a short loop of a wait function; all other loops count. The limit of
 * own counts different branches, each once: which functions a called one leads through is the kernel's to
 * choose (a lock, memory, another task first) and how often they go around too, but what leads on and on is
 * found, and so is a call of a function that is not listed.
 */
#ifndef ORACLE_SLACK_H
#define ORACLE_SLACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "symbols.h"

enum slack_kind {
	SLACK_OPEN,
	SLACK_CLOSE,
	SLACK_CALL,
	SLACK_RETURN,
	SLACK_SWITCH_OUT,
	SLACK_SWITCH_IN,
	SLACK_PATHS, /* the kinds above are the gate's path itself: "all" */
	SLACK_OWN = SLACK_PATHS,
	SLACK_LIMITED, /* the kinds above have a limit */
	SLACK_CALLED = SLACK_LIMITED,
	SLACK_WAIT,
	SLACK_EXIT,
	SLACK_END,
	SLACK_FORK,
	SLACK_CHILD,
	SLACK_NR,
	SLACK_NONE = SLACK_NR, /* where there is no slack */
};

struct slack;

/* The symbols are kept for lookups and must live longer. -EINVAL for a bad line, which is told on stderr. */
int slack__load(const char *path, const struct symbols *syms, struct slack **ret) _must_check_
	_nonnull_(1, 2, 3);
void slack__free(struct slack *slack);

/* Whether the function at @addr is in the list of @kind. Never for an address without a symbol. */
bool slack__allows(struct slack *slack, enum slack_kind kind, uint64_t addr) _nonnull_(1);

/* The most branches that one end of a window, or one call of own, may have; of a kind below SLACK_LIMITED. */
uint64_t slack__limit(const struct slack *slack, enum slack_kind kind) _nonnull_(1);
void slack__set_limit(struct slack *slack, enum slack_kind kind, uint64_t limit) _nonnull_(1);

const char *slack__kind_name(enum slack_kind kind);

DEFINE_CLEANUP(slack, struct slack *, slack__free)
#define _cleanup_slack_ _cleanup_(cleanup__slack)

#endif
