/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows the branches of one task, and tells which functions are entered and left.
 *
 * A return is matched with its call by the address that it goes to. So it is known which call a longjmp() or
 * a sigreturn() ends, and a return that goes to none of the known calls tells of a caller from before the
 * trace began. A jump to the first byte of another function is a tail call: the one ends, the other begins
 * in its place.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_CALL_STACK_H
#define AUXBPF_CALLS_CALL_STACK_H

#include <stddef.h>

#include "base/cleanup.h"
#include "calls/branch.h"

enum call_kind {
	CALL_CALL,
	CALL_JUMP, /* a tail call */
	CALL_SYSCALL,
	CALL_INTERRUPT, /* or an exception */
	CALL_SIGNAL,	/* the kernel went to a handler of the program's */
	CALL_RUNNING,	/* it was running when the trace began, or came out of what is lost */
	CALL_CALLER,	/* found by a return into it: it had called all that was seen so far */
	CALL_INLINED,	/* no call: a function that the compiler inlined (inlined_calls.h) */
};

/* How a call ended. */
enum call_end {
	CALL_RETURNED,
	CALL_JUMPED, /* it made a tail call */
	CALL_LEFT,   /* by longjmp(), exec(2) and the like, or its end was not seen */
};

/* A mark is no call, but has its place between them. */
enum call_mark {
	CALL_MARK_NONE,	 /* a call */
	CALL_MARK_GAP,	 /* nothing was traced from begin to end */
	CALL_MARK_ERROR, /* the decoder could not go on; its text tells why */
	CALL_MARK_OFF,	 /* the task was off the CPU (off_cpu.h) */
};

struct call_frame {
	uint64_t time; /* of the branch that entered it, ns */
	uint64_t site; /* the address of the branch that is to be returned behind; 0: not known */
	function_id function;
	site_id from_site; /* the number of the place that it was called from, or was jumped to from; 0: not told */
	enum call_kind kind;
	uint32_t
		behind; /* BRANCH_CALL or BRANCH_RETURN: an interrupt that hides such a branch, from @site; 0: none */
	bool is_kernel;
	bool may_repeat; /* a return may go to @site itself: an instruction that faulted, a system call that restarts */
};

/* Told of what happens, in its order. Each returns 0 or a negative errno, which ends the following. */
struct call_observer {
	/* @depth frames were there before: frame[-1] is the newest of them. */
	int (*enter)(void *ctx, const struct call_frame *frame, size_t depth);
	/* @depth frames stay, in front of @frame. */
	int (*leave)(void *ctx, const struct call_frame *frame, size_t depth, uint64_t time,
		     enum call_end how);
	/* @text is gone after the call; NULL: there is none. NULL in place of the function: marks are not wanted. */
	int (*mark)(void *ctx, enum call_mark mark, uint64_t begin, uint64_t end, const char *text);
};

struct call_stack {
	struct call_frame *frames;
	size_t nr, cap;
	bool is_lost; /* branches are missing in front of the next one */
	const struct call_observer *observer;
	void *ctx;
};

/* Makes @stack empty; it hands @ctx to @observer, which must live as long. */
void call_stack__init(struct call_stack *stack, const struct call_observer *observer, void *ctx)
	_nonnull_(1, 2);
void call_stack__release(struct call_stack *stack) _nonnull_(1);

/*
 * To be called where branches are missing, but for a time without trace, of which the branches tell: calls that
 * must have ended meanwhile are left then.
 */
void call_stack__lose(struct call_stack *stack) _nonnull_(1);

/*
 * Follows the task's next branch. Returns 0, -ENOMEM, or what the observer returned.
 */
int call_stack__branch(struct call_stack *stack, const struct branch *branch) _must_check_ _nonnull_(1, 2);

/* Tells the observer of a mark in what runs. Returns 0 or what it returned. */
int call_stack__mark(struct call_stack *stack, enum call_mark mark, uint64_t begin, uint64_t end,
		     const char *text) _must_check_ _nonnull_(1);

/* Leaves all frames but the first @nr, which were not seen to end. Returns 0 or what the observer returned. */
int call_stack__leave(struct call_stack *stack, size_t nr, uint64_t time) _must_check_ _nonnull_(1);

#endif
