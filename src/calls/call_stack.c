// SPDX-License-Identifier: GPL-2.0-only
#include "calls/call_stack.h"

#include <errno.h>

/* No call instruction of the architectures is longer, with its prefixes. */
#define LONGEST_CALL 16

#define NONE SIZE_MAX

void call_stack__init(struct call_stack *stack, const struct call_observer *observer, void *ctx)
{
	*stack = (struct call_stack){.observer = observer, .ctx = ctx};
}

void call_stack__release(struct call_stack *stack)
{
	free(stack->frames);
	*stack = (struct call_stack){0};
}

void call_stack__lose(struct call_stack *stack)
{
	stack->is_lost = true;
}

static struct call_frame *top(struct call_stack *stack)
{
	return &stack->frames[stack->nr - 1];
}

static int reserve(struct call_stack *stack)
{
	size_t cap = stack->cap ? stack->cap * 2 : 64;
	struct call_frame *frames;

	if (stack->nr < stack->cap)
		return 0;
	frames = reallocarray(stack->frames, cap, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	stack->frames = frames;
	stack->cap = cap;
	return 0;
}

static int enter(struct call_stack *stack, const struct call_frame *frame)
{
	int err = reserve(stack);

	if (err)
		return err;
	stack->frames[stack->nr++] = *frame;
	return stack->observer->enter(stack->ctx, top(stack), stack->nr - 1);
}

static int leave_to(struct call_stack *stack, size_t nr, uint64_t time, enum call_end how)
{
	int err = 0;

	while (!err && stack->nr > nr) {
		/* Only the last one returns; the others were left on the way. */
		enum call_end end = stack->nr == nr + 1 ? how : CALL_LEFT;

		stack->nr--;
		err = stack->observer->leave(stack->ctx, &stack->frames[stack->nr], stack->nr, time, end);
	}
	return err;
}

int call_stack__leave(struct call_stack *stack, size_t nr, uint64_t time)
{
	return leave_to(stack, nr, time, CALL_LEFT);
}

int call_stack__mark(struct call_stack *stack, enum call_mark mark, uint64_t begin, uint64_t end,
		     const char *text)
{
	return stack->observer->mark ? stack->observer->mark(stack->ctx, mark, begin, end, text) : 0;
}

/* Finds the lowest of the frames on top that are of the given mode; the one below it is of the other mode. */
static size_t mode_begin(const struct call_stack *stack, bool is_kernel)
{
	size_t nr = stack->nr;

	while (nr && stack->frames[nr - 1].is_kernel == is_kernel)
		nr--;
	return nr;
}

/* Finds the newest frame of @function, among those of the mode that runs; code without a symbol is not found. */
static size_t find_function(const struct call_stack *stack, function_id function, bool is_kernel)
{
	size_t i = function & FUNCTION_NAMELESS ? 0 : stack->nr;

	while (i && stack->frames[i - 1].is_kernel == is_kernel) {
		if (stack->frames[--i].function == function)
			return i;
	}
	return NONE;
}

static bool returns_behind(const struct call_frame *frame, uint64_t to)
{
	uint64_t behind = to - frame->site;

	return frame->site && behind <= LONGEST_CALL && (behind || frame->may_repeat);
}

/* Finds the newest call that a return to @to ends. */
static size_t find_call(const struct call_stack *stack, uint64_t to)
{
	for (size_t i = stack->nr; i > 0; i--) {
		if (returns_behind(&stack->frames[i - 1], to))
			return i - 1;
	}
	return NONE;
}

/* Finds the newest interrupt, exception or system call. */
static size_t find_interrupt(const struct call_stack *stack)
{
	for (size_t i = stack->nr; i > 0; i--) {
		if (stack->frames[i - 1].may_repeat)
			return i - 1;
	}
	return NONE;
}

static struct call_frame frame_at(const struct branch *b, enum call_kind kind)
{
	return (struct call_frame){
		.time = b->time,
		.function = b->to_function,
		.from_site = kind == CALL_RUNNING || kind == CALL_CALLER ? 0 : b->from_site,
		.kind = kind,
		.is_kernel = branch__is_kernel(b->to),
	};
}

/* Puts the function that a branch goes to in the place of the one that runs. */
static int replace(struct call_stack *stack, const struct branch *b, enum call_kind kind)
{
	struct call_frame frame = frame_at(b, kind);
	int err;

	frame.site = top(stack)->site;
	frame.may_repeat = top(stack)->may_repeat;
	frame.behind = top(stack)->behind;
	err = leave_to(stack, stack->nr - 1, b->time, CALL_JUMPED);
	return err ? err : enter(stack, &frame);
}

/*
 * Follows a branch whose way to @to_function is not known. It may be in a call that was running before, or else in one
 * that any of these has made: its return will tell.
 */
static int appear(struct call_stack *stack, const struct branch *b)
{
	struct call_frame frame = frame_at(b, CALL_RUNNING);
	size_t found;

	if (!stack->nr)
		return enter(stack, &frame);
	if (top(stack)->function == b->to_function && top(stack)->is_kernel == frame.is_kernel)
		return 0;
	found = find_function(stack, b->to_function, frame.is_kernel);
	if (found != NONE)
		return leave_to(stack, found + 1, b->time, CALL_LEFT);
	return enter(stack, &frame);
}

/*
 * Makes the frame on top that of the function which the branch comes from. It may be another one, though no branch
 * went there: some code runs on into the next function.
 */
static int settle(struct call_stack *stack, const struct branch *b)
{
	struct branch here = *b;
	bool was_lost = stack->is_lost || !stack->nr || top(stack)->is_kernel != branch__is_kernel(b->from);

	stack->is_lost = false;
	if (!was_lost && top(stack)->function == b->from_function)
		return 0;
	here.to = b->from;
	here.from_site = 0;
	here.to_function = b->from_function;
	return was_lost ? appear(stack, &here) : replace(stack, &here, CALL_JUMP);
}

static int follow_jump(struct call_stack *stack, const struct branch *b)
{
	size_t found;

	if (b->to_function == top(stack)->function)
		return 0;
	if (b->to_offset) {
		found = find_function(stack, b->to_function, branch__is_kernel(b->to));
		if (found != NONE)
			return leave_to(stack, found + 1, b->time, CALL_LEFT);
	}
	return replace(stack, b, CALL_JUMP);
}

/* Whether a call only pushes its own address, for the instructions behind it to read or to drop. */
static bool is_call_ahead(const struct branch *b)
{
	return !(b->flags & (BRANCH_SYSCALL | BRANCH_INTERRUPT | BRANCH_ASYNC)) &&
	       b->to_function == b->from_function && b->to_offset && b->to - b->from <= LONGEST_CALL;
}

/* The branch that an interrupt hides. */
static uint32_t hidden_branch(const struct branch *b)
{
	if (b->flags & BRANCH_BEHIND_CALL)
		return BRANCH_CALL;
	return b->flags & BRANCH_BEHIND_RETURN ? BRANCH_RETURN : 0;
}

static int follow_call(struct call_stack *stack, const struct branch *b)
{
	struct call_frame frame = frame_at(b, CALL_CALL);

	if (is_call_ahead(b))
		return 0;
	if (b->flags & BRANCH_INTERRUPT)
		frame.kind = CALL_INTERRUPT;
	else if (b->flags & BRANCH_SYSCALL)
		frame.kind = CALL_SYSCALL;
	frame.site = b->from;
	frame.behind = hidden_branch(b);
	frame.may_repeat = frame.kind != CALL_CALL;
	return enter(stack, &frame);
}

/* Follows a return to user mode behind none of the calls: to a handler of a signal, or to a new program. */
static int follow_to_user(struct call_stack *stack, const struct branch *b)
{
	struct call_frame frame = frame_at(b, CALL_SIGNAL);
	size_t begin = mode_begin(stack, true), found;
	int err;

	if (begin < stack->nr) {
		frame.site = stack->frames[begin].site;
		frame.from_site = stack->frames[begin].from_site;
	}
	frame.may_repeat = true;
	err = leave_to(stack, begin, b->time, CALL_RETURNED);
	if (err)
		return err;
	found = find_function(stack, b->to_function, false);
	if (b->to_offset && found != NONE)
		return leave_to(stack, found + 1, b->time, CALL_LEFT);
	if (!stack->nr)
		frame.kind = CALL_RUNNING;
	return enter(stack, &frame);
}

/*
 * Follows a return behind none of the calls in its own mode. From a call that is known it is none: such are retpolines,
 * the return from a handler of a signal, and longjmp() of some libraries. Else it goes to a caller that is not known yet,
 * or was running before.
 */
static int follow_unknown_return(struct call_stack *stack, const struct branch *b)
{
	struct call_frame frame = frame_at(b, CALL_CALLER);
	size_t found;
	int err;

	if (!b->to_offset || top(stack)->site)
		return follow_jump(stack, b);
	err = leave_to(stack, stack->nr - 1, b->time, CALL_RETURNED);
	if (err)
		return err;
	found = find_function(stack, b->to_function, frame.is_kernel);
	if (found != NONE)
		return leave_to(stack, found + 1, b->time, CALL_LEFT);
	if (stack->nr)
		frame.kind = CALL_RUNNING;
	return enter(stack, &frame);
}

/* Follows the end of an exception that goes on elsewhere than where it came from: the kernel mends some of its own so. */
static int follow_fixup(struct call_stack *stack, const struct branch *b)
{
	size_t interrupt = find_interrupt(stack);
	int err;

	if (interrupt == NONE || !interrupt)
		return follow_unknown_return(stack, b);
	err = leave_to(stack, interrupt, b->time, CALL_RETURNED);
	return err ? err : follow_jump(stack, b);
}

/* Finds the interrupt that @b returns from, if it hides a branch and @b goes where that went. */
static size_t find_hiding(const struct call_stack *stack, const struct branch *b)
{
	size_t i = b->flags & BRANCH_INTERRUPT ? find_interrupt(stack) : NONE;
	const struct call_frame *frame;

	if (i == NONE || !i)
		return NONE;
	frame = &stack->frames[i];
	if (returns_behind(frame, b->to))
		return NONE;
	/* A return to the first byte of a function is none: a handler of a signal runs first. */
	return frame->behind == BRANCH_CALL || (frame->behind == BRANCH_RETURN && b->to_offset) ? i : NONE;
}

static int follow_return(struct call_stack *stack, const struct branch *b);

/* Ends the interrupt with the index @interrupt, and follows the branch that it hides. */
static int follow_hidden(struct call_stack *stack, const struct branch *b, size_t interrupt)
{
	struct branch hidden = *b;
	int err;

	hidden.from = stack->frames[interrupt].site;
	hidden.from_site = stack->frames[interrupt].from_site;
	hidden.from_function = stack->frames[interrupt - 1].function;
	hidden.flags = stack->frames[interrupt].behind;
	err = leave_to(stack, interrupt, b->time, CALL_RETURNED);
	if (err)
		return err;
	return hidden.flags == BRANCH_CALL ? follow_call(stack, &hidden) : follow_return(stack, &hidden);
}

static int follow_return(struct call_stack *stack, const struct branch *b)
{
	size_t found = find_hiding(stack, b);

	if (found != NONE)
		return follow_hidden(stack, b, found);
	found = find_call(stack, b->to);
	if (found != NONE)
		return leave_to(stack, found, b->time, CALL_RETURNED);
	if (branch__is_kernel(b->from) && !branch__is_kernel(b->to))
		return follow_to_user(stack, b);
	if (b->flags & BRANCH_INTERRUPT)
		return follow_fixup(stack, b);
	return follow_unknown_return(stack, b);
}

/* The trace ends. If that is because the kernel went back to user mode, which is not traced, its calls are over. */
static int follow_end(struct call_stack *stack, const struct branch *b)
{
	stack->is_lost = true;
	if (!(b->flags & BRANCH_RETURN) || !(b->flags & (BRANCH_SYSCALL | BRANCH_INTERRUPT)))
		return 0;
	return leave_to(stack, mode_begin(stack, true), b->time, CALL_RETURNED);
}

int call_stack__branch(struct call_stack *stack, const struct branch *b)
{
	int err;

	if (b->flags & BRANCH_BEGIN) {
		stack->is_lost = false;
		return appear(stack, b);
	}
	err = settle(stack, b);
	if (err)
		return err;
	if (b->flags & BRANCH_END)
		return follow_end(stack, b);
	if (b->flags & BRANCH_CALL)
		return follow_call(stack, b);
	if (b->flags & BRANCH_RETURN)
		return follow_return(stack, b);
	return follow_jump(stack, b);
}
