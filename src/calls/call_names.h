/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers for the names of functions, by which calls of several captures are compared: each capture has numbers of its own
 * for its functions.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_CALL_NAMES_H
#define AUXBPF_CALLS_CALL_NAMES_H

#include "base/buf.h"
#include "calls/call_tree.h"

/* Zero-initialised is empty and valid. */
struct call_names {
	void *numbers;	 /* by name, a tree of tsearch(3) */
	struct buf list; /* by number, pointers to what is in that tree */
};

/*
 * Finds the number of @name, or gives it the next one. Numbers begin with 1. Returns 0 or -ENOMEM.
 */
int call_names__number(struct call_names *names, const char *name, uint32_t *ret) _must_check_
	_nonnull_(1, 2, 3);
void call_names__release(struct call_names *names) _nonnull_(1);

/* A step of a path: a function by the number of its name, and its mode; or a time without trace. */
typedef uint32_t call_step;

/* No function has these: nothing was traced meanwhile. From the kernel that is because the task was off its CPU. */
#define CALL_STEP_UNTRACED 0
#define CALL_STEP_OFF 1

static inline bool call_step__is_call(call_step step)
{
	return step > CALL_STEP_OFF;
}

/* Returns the name of a step; of a time without trace what that is. */
const char *call_names__get(const struct call_names *names, call_step step) _must_check_ _nonnull_(1);

/* Numbers of the names of one capture's functions, by function_id. */
struct call_numbers {
	struct call_names *names;
	struct buf list; /* uint32_t */
};

/* Makes numbers in @names, which must live as long, for no function yet. Returns 0 or -ENOMEM. */
int call_numbers__init(struct call_numbers *numbers, struct call_names *names) _must_check_ _nonnull_(1, 2);

/* Returns the number of the next function. */
static inline function_id call_numbers__next(const struct call_numbers *numbers)
{
	return (function_id)(numbers->list.len / sizeof(uint32_t));
}

/* Adds the function @id, which must be the next one. Returns 0, -EBADMSG for a number out of order, or -ENOMEM. */
int call_numbers__add(struct call_numbers *numbers, function_id id, const char *name) _must_check_
	_nonnull_(1, 3);
void call_numbers__release(struct call_numbers *numbers) _nonnull_(1);

/* Returns the step that @call is, which may be the mark of a gap. A function that was not added is "[unknown]". */
call_step call_numbers__step(const struct call_numbers *numbers, const struct call *call) _must_check_
	_nonnull_(1, 2);

#endif
