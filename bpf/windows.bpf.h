/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows: the times in which a target's execution counts. A task has its window open while it is in a listed
 * system call or function, or on its way from one tracepoint to another, or, if so asked, whenever it runs.
 * Windows nest and overlap: the gate is open while any of them is.
 */
#ifndef AUXBPF_WINDOWS_BPF_H
#define AUXBPF_WINDOWS_BPF_H

#include "gate.bpf.h"
#include "targets.bpf.h"
#include "window_record.bpf.h"

static __always_inline bool in_window(const struct task_state *state)
{
	return state && (state->in_syscall || state->kernel_frame || state->user_frame || state->ranges);
}

/* Whether the gate is to be open while @task runs, once the session is armed. */
static __always_inline bool task_wants_gate(struct task_struct *task, const struct task_state *state)
{
	bool on_cpu = config.on_cpu && !(state && state->before_exec);

	return (on_cpu || in_window(state)) && is_target(task, state);
}

/* Moves the gate of this CPU to what the task that runs wants. Interrupts must be off. */
static __always_inline void gate_follow(struct task_struct *task, const struct task_state *state)
{
	struct auxbpf_cpu *cpu = this_cpu();

	gate_set(cpu, is_armed() && task_wants_gate(task, state));
	gate_settle(cpu);
}

/* Moves the gate to what the task that runs wants, after something about it has changed. */
static __always_inline void gate_refresh(struct task_struct *task, const struct task_state *state)
{
	unsigned long flags;

	irq_save(&flags);
	gate_follow(task, state);
	irq_restore(&flags);
}

/* Does the same when a window of the task has ended, if the gate is for the task, and keeps the window. */
static __always_inline void window_close(struct task_struct *task, struct task_state *state,
					 enum auxbpf_window_kind kind, enum auxbpf_window_cut cut, __s64 ret,
					 bool gate)
{
	unsigned long flags;

	irq_save(&flags);
	if (gate)
		gate_follow(task, state);
	window_keep(task, state, kind, cut, ret);
	irq_restore(&flags);
}

/* Whether a window of the task may begin. */
static __always_inline bool may_begin(struct task_struct *task, const struct task_state *state)
{
	return is_armed() && !(state && state->before_exec) && is_target(task, state);
}

/*
 * The notes on a task that may begin the window of a function; NULL if it is no target.
 *
 * The frame of a call is an address on the task's stack that is the same at its entry and at its return.
 * Stacks grow downward, so a call that began later and has not returned has its frame below. The outermost
 * frame is all that must be noted. A call below it is nested. A call at or above it means that the outermost
 * was left without a return (longjmp, an exception), and only the new call's own return closes the window.
 */
static __always_inline struct task_state *function_state(struct task_struct *task)
{
	struct task_state *state = task_state(task);

	if (!may_begin(task, state))
		return NULL;
	return state ?: task_state_new(task);
}

/*
 * The same where a lock of the scheduler or of the memory allocator may be held: at tracepoints and in functions
 * of the kernel.
 */
static __always_inline struct task_state *window_state_anywhere(struct task_struct *task)
{
	struct task_state *state = task_state(task);

	if (!may_begin(task, state))
		return NULL;
	return state ?: task_state_new_anywhere(task);
}

static __always_inline void window_count(struct task_state *state, struct auxbpf_cpu *cpu)
{
	state->cut = 0;
	cpu->windows++;
}

/*
 * Opens the gate for a window. Interrupts are off, so the loader's run of refresh_cpu, which is an interrupt, comes
 * before or after this: once it has closed the gate nothing opens it again. Without @gate the window is only
 * counted: the gate is for another task already, and moves when this one runs again.
 */
static __always_inline void window_open(struct task_state *state, struct auxbpf_cpu *cpu, bool gate)
{
	if (!is_armed())
		return;
	window_count(state, cpu);
	if (!gate)
		return;
	gate_set(cpu, true);
	gate_settle(cpu);
}

/* Begins a window that is kept. Interrupts are off. */
static __always_inline void window_begin(struct task_struct *task, struct task_state *state,
					 struct auxbpf_cpu *cpu, enum auxbpf_window_kind kind, __s32 what,
					 bool gate)
{
	if (is_armed())
		window_note(task, state, cpu, kind, what);
	window_open(state, cpu, gate);
}

/* Whether a call with the frame @at is nested in no call whose window is open. */
static __always_inline bool call_is_outermost(__u64 frame, __u64 at)
{
	return !frame || at > frame;
}

/*
 * Begins the window of a function, with the gate if that is for the task. If there is one of that kind still, its
 * function has not returned.
 */
static __always_inline void function_begin(struct task_struct *task, struct task_state *state,
					   enum auxbpf_window_kind kind, __u32 function, bool gate)
{
	struct auxbpf_cpu *cpu = this_cpu();
	unsigned long flags;

	irq_save(&flags);
	window_keep(task, state, kind, AUXBPF_CUT_LEFT, 0);
	window_begin(task, state, cpu, kind, function, gate);
	irq_restore(&flags);
}

#endif
