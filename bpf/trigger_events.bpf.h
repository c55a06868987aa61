/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handlers of triggers, shared with the stand-in for skipped programs: the programs at the events call them
 * (trigger.bpf.c), and so does the one that stands in for those that the kernel skips (trigger_skip.bpf.c).
 */
#ifndef AUXBPF_TRIGGER_EVENTS_BPF_H
#define AUXBPF_TRIGGER_EVENTS_BPF_H

#include "function_calls.bpf.h"
#include "interrupted.bpf.h"
#include "syscall.bpf.h"
#include "trigger_task.bpf.h"

/* The sets of rules by the number of the system call: first for 64-bit tasks, then for 32-bit tasks. */
OF_TRIGGERS struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2 * AUXBPF_MAX_SYSCALLS);
	__type(key, __u32);
	__type(value, __u64);
} trigger_syscalls SEC(".maps");

static __always_inline __u64 syscall_rules(bool compat, __u64 nr)
{
	__u32 index = nr + (compat ? AUXBPF_MAX_SYSCALLS : 0);
	__u64 *rules;

	if (nr >= AUXBPF_MAX_SYSCALLS)
		return 0;
	rules = bpf_map_lookup_elem(&trigger_syscalls, &index);
	return rules ? *rules : 0;
}

/*
 * Sets the fields of a system call. The caller makes the event only when there is something to try: most
 * calls and switches of the machine are no event, and would pay for clearing it.
 */
static __always_inline void set_call(struct auxbpf_event *e, struct task_struct *task,
				     const struct noted_call *call)
{
	__u32 i;

	for (i = 0; i < 6; i++)
		set_field(e, AUXBPF_FIELD_ARG0 + i, call->args[i]);
	set_task(e, task);
	e->nr = call->nr;
	e->compat = call->compat;
}

static __always_inline void try_syscall_begin(struct task_struct *task, const struct task_history *h,
					      __u64 rules)
{
	struct auxbpf_event e = {};

	set_call(&e, task, &h->call);
	try_rules(rules, &e, h);
}

/*
 * Tries the rules at the end of a system call. If its begin was not seen the latency is not known, and is 0
 * for conditions.
 */
static __always_inline void try_syscall_end(struct task_struct *task, const struct task_history *h,
					    const struct noted_call *call, long ret)
{
	__u64 rules = syscall_rules(call->compat, call->nr) & ~triggers.at_entry;
	struct auxbpf_event e = {};

	if (!rules || !is_watched(task))
		return;
	set_call(&e, task, call);
	set_field(&e, AUXBPF_FIELD_RET, ret);
	if (call->started)
		set_field(&e, AUXBPF_FIELD_LATENCY, bpf_ktime_get_ns() - call->started);
	try_rules(rules, &e, h);
}

/*
 * Handles the begin of a system call. @turn is 0 in the first program; a spare that finds the mark of the
 * first has nothing to do.
 */
static __always_inline int enter_call(struct pt_regs *regs, long nr, __u32 turn)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool compat = task_in_compat_syscall(task);
	__u64 rules = syscall_rules(compat, nr);
	struct task_history *h;
	__u32 i;

	if ((!rules && !is_restart_nr(compat, nr)) || !is_watched(task))
		return 0;
	h = history(task) ?: history_new(task);
	if (!h)
		return 0;
	if (turn && h->turn == turn) {
		h->turn = turn + 1;
		return 0;
	}
	h->turn = turn + 1;
	if (take_up(h, regs, compat, nr) || !rules)
		return 0;
	h->in_call = 1;
	h->call.nr = nr;
	h->call.compat = compat;
	for (i = 0; i < 6; i++)
		h->call.args[i] = syscall_arg(regs, compat, i);
	h->call.started = bpf_ktime_get_ns();
	if (rules & triggers.at_entry)
		try_syscall_begin(task, h, rules & triggers.at_entry);
	return 0;
}

/*
 * Notes a call that ends and whose begin was not seen: seccomp or a tracer kept it from beginning
 * (kernel/entry/common.c, syscall_trace_enter()), or it began before its task counted. False for a new task
 * that passes the end of its parent's call.
 */
static __always_inline bool note_at_end(struct task_history *h, struct task_struct *task,
					struct pt_regs *regs, __u64 nr)
{
	bool is_child = h->born_in == nr + 1;
	__u32 i;

	h->born_in = 0;
	if (nr >= AUXBPF_MAX_SYSCALLS || is_child)
		return false;
	h->call.nr = nr;
	h->call.compat = task_in_compat_syscall(task);
	for (i = 0; i < 6; i++)
		h->call.args[i] = syscall_arg_at_end(regs, h->call.compat, i);
	h->call.started = 0;
	return true;
}

/* Whether rules may be about a call of this number, in a 64- or a 32-bit task. */
static __always_inline bool end_may_count(__u64 nr)
{
	if (nr >= AUXBPF_MAX_SYSCALLS || is_restart_nr(false, nr) || is_restart_nr(true, nr))
		return true;
	return syscall_rules(false, nr) || syscall_rules(true, nr);
}

/*
 * Handles the end of a system call. What was noted at its begin counts: execve may end as a call of the other
 * kind of task, and rt_sigreturn without a number.
 */
static __always_inline int leave_call(struct pt_regs *regs, long ret, __u32 turn)
{
	__u64 nr = regs_syscall(regs);
	struct task_history *h;
	struct task_struct *task;

	if (!end_may_count(nr))
		return 0;
	task = bpf_get_current_task_btf();
	h = history(task);
	if (!h)
		return 0;
	if (turn && h->turn_at_end) {
		h->turn_at_end = 0;
		return 0;
	}
	h->turn_at_end = !turn;
	if (nr >= AUXBPF_MAX_SYSCALLS)
		return_from_handler(h, regs);
	if (!h->in_call && !(is_watched(task) && note_at_end(h, task, regs, nr)))
		return 0;
	h->in_call = 0;
	if (is_interrupted(ret))
		put_aside(h, regs, ret);
	else
		try_syscall_end(task, h, &h->call, ret);
	return 0;
}

/* Handles a signal's handler, which has these flags: it may end the call of the task. */
static __always_inline void interrupt_call(struct task_struct *task, __u64 flags)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	struct task_history *h = history(task);

	if (h && ends_by_handler(h, regs, flags))
		try_syscall_end(task, h, &h->interrupted, -EINTR);
}

/* Tries the rules of one kind, for the task that runs. */
static __always_inline int try_kind(enum auxbpf_trigger_kind kind, struct auxbpf_event *e)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (triggers.by_kind[kind] && is_watched(task))
		try_task(task, e, triggers.by_kind[kind]);
	return 0;
}

/* Handles a fork: the task has started a process or a thread. */
static __always_inline int start_task(void)
{
	struct auxbpf_event e = {};

	return try_kind(AUXBPF_TRIGGER_FORK, &e);
}

/* Handles an exec. The command counts from here on; the gate's program, which notes that too, comes later. */
static __always_inline int start_program(struct task_struct *task)
{
	struct task_state *state = task_state(task);
	struct auxbpf_event e = {};

	if (state)
		state->before_exec = 0;
	if (triggers.by_kind[AUXBPF_TRIGGER_FUNCTION])
		forget_calls(task);
	return try_kind(AUXBPF_TRIGGER_EXEC, &e);
}

/*
 * Whether this is the first thread to come to the end of its process, which is handled once. Threads that end
 * together all find none left: each is taken off the count before it comes here (kernel/exit.c, do_exit()).
 * Only newer kernels tell which one was the last. So the first one here leaves a mark in the leader, which
 * stays until all others are gone.
 */
static __always_inline bool is_first_at_end(struct task_struct *task)
{
	struct task_history *h = history_new(task->group_leader);

	return !h || !__sync_lock_test_and_set(&h->ended, 1);
}

/*
 * Handles the end of a thread: a process exits with its last one. The status is that of the process; a thread
 * that ended by itself has another one (kernel/exit.c, wait_task_zombie()).
 */
static __always_inline int end_task(struct task_struct *task)
{
	struct auxbpf_event e = {};
	int status;

	if (task->signal->live.counter || !is_first_at_end(task))
		return 0;
	status = task->signal->group_exit_code;
	set_field(&e, AUXBPF_FIELD_SIG, status & 0x7f);
	set_field(&e, AUXBPF_FIELD_CODE, (status >> 8) & 0xff);
	return try_kind(AUXBPF_TRIGGER_EXIT, &e);
}

#endif
