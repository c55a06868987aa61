/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps a record of each window for user space (auxbpf_window.h): what opened it, for which task, when it began and
 * ended, and how long the task was off the CPU in between. Windows that are open whenever a target runs are not
 * kept: the records of switches tell of these.
 *
 * The begin is noted with the task, and the record is written at the end. The begin is noted before the gate
 * opens, the end after it has closed: so what is in the trace lies between the two, and little of the work here is
 * in the trace.
 *
 * auxbpf_cpu.in_window says that the task on a CPU may have such a window open. Only then a switch looks the task
 * up that leaves.
 */
#ifndef AUXBPF_WINDOW_RECORD_BPF_H
#define AUXBPF_WINDOW_RECORD_BPF_H

#include "gate.bpf.h"
#include "targets.bpf.h"

/* The newest windows of all CPUs: config.keep_windows of each. The loader makes the map that large. */
OF_GATE struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct auxbpf_window);
} windows_kept SEC(".maps");

/* Whether a window that is kept is open. */
static __always_inline bool in_kept_window(const struct task_windows *windows)
{
	__u32 i;

	for (i = 0; i < AUXBPF_WINDOW_KINDS; i++)
		if (windows->open[i].begin)
			return true;
	return false;
}

static __always_inline void note_task(struct task_windows *windows, struct task_struct *task)
{
	windows->pid = task_pid(task);
	windows->tid = task_tid(task);
}

/*
 * Notes the begin of a window. The exchange has a barrier: who finds a begin finds all else of it (open_windows.bpf.h).
 */
static __always_inline void note_begin(struct task_windows *windows, enum auxbpf_window_kind kind, __s32 what,
				       __u64 now)
{
	struct open_window *open = &windows->open[kind];

	open->off = windows->off;
	open->what = what;
	open->cpu = bpf_get_smp_processor_id();
	open->moves = windows->moves;
	__sync_lock_test_and_set(&open->begin, now);
}

/* Notes that the task that runs begins a window. The arguments of a system call must be there. */
static __always_inline void window_note(struct task_struct *task, struct task_state *state,
					struct auxbpf_cpu *cpu, enum auxbpf_window_kind kind, __s32 what)
{
	if (!config.keep_windows)
		return;
	note_task(&state->windows, task);
	note_begin(&state->windows, kind, what, bpf_ktime_get_ns());
	cpu->known = 1;
	cpu->in_window = 1;
}

/* Claims the entry for the window @number of this CPU, which is @cpu. NULL: it is busy. */
static __always_inline struct auxbpf_window *claim_window(__u32 cpu, __u64 number)
{
	__u32 key = cpu * config.keep_windows + (number & (config.keep_windows - 1));
	struct auxbpf_window *w = bpf_map_lookup_elem(&windows_kept, &key);

	if (!w || __sync_lock_test_and_set(&w->number, AUXBPF_WINDOW_BUSY) == AUXBPF_WINDOW_BUSY)
		return NULL;
	return w;
}

/* Fills in all that is known while the window is open. */
static __always_inline void fill_window(struct auxbpf_window *w, struct task_struct *task,
					const struct task_state *state, enum auxbpf_window_kind kind)
{
	const struct task_windows *windows = &state->windows;
	const struct open_window *open = &windows->open[kind];

	w->begin = open->begin;
	w->off = windows->off - open->off;
	w->compat = 0;
	if (kind == AUXBPF_WINDOW_SYSCALL) {
		__builtin_memcpy(w->args, windows->args, sizeof(w->args));
		w->compat = windows->compat;
	}
	__builtin_memcpy(w->comm, task->comm, sizeof(w->comm));
	w->pid = windows->pid;
	w->tid = windows->tid;
	w->what = open->what;
	w->cpu = open->cpu;
	w->moves = windows->moves - open->moves;
	w->kind = kind;
	w->untraced = state->cut;
}

/*
 * Keeps the window of @task that ends here and now, if it has one open of this kind. What is written to the task
 * for its next window comes behind the barrier of the last exchange.
 */
static __always_inline void window_keep(struct task_struct *task, struct task_state *state,
					enum auxbpf_window_kind kind, enum auxbpf_window_cut cut, __s64 ret)
{
	struct open_window *open = &state->windows.open[kind];
	__u32 cpu = bpf_get_smp_processor_id();
	struct auxbpf_window *w;
	__u64 number;

	if (!config.keep_windows || !open->begin)
		return;
	number = __sync_fetch_and_add(&cpu_of(cpu)->windows_ended, 1);
	w = claim_window(cpu, number);
	if (!w) {
		open->begin = 0;
		return;
	}
	fill_window(w, task, state, kind);
	w->end = bpf_ktime_get_ns();
	w->end_cpu = cpu;
	w->ret = ret;
	w->cut = cut;
	open->begin = 0;
	__sync_lock_test_and_set(&w->number, number + 1);
}

/* Notes for a child that it is in the window of its parent, and waits for a CPU. */
static __always_inline void window_inherit(const struct task_state *from, struct task_struct *child,
					   struct task_state *to, enum auxbpf_window_kind kind)
{
	__u64 now;

	if (!config.keep_windows || !from->windows.open[kind].begin)
		return;
	now = bpf_ktime_get_ns();
	note_task(&to->windows, child);
	to->windows.left = now;
	to->windows.left_cpu = bpf_get_smp_processor_id();
	to->windows.compat = from->windows.compat;
	__builtin_memcpy(to->windows.args, from->windows.args, sizeof(to->windows.args));
	note_begin(&to->windows, kind, from->windows.open[kind].what, now);
}

/* Handles a switch from a task that may have windows open: it sleeps or waits from here on, or it has ended. */
static __always_inline void window_leave_cpu(struct task_struct *task, bool dead)
{
	struct task_state *state = task_state(task);
	__u32 kind;

	if (!state || !in_kept_window(&state->windows))
		return;
	if (dead) {
		for (kind = 0; kind < AUXBPF_WINDOW_KINDS; kind++)
			window_keep(task, state, kind, AUXBPF_CUT_EXIT, 0);
		return;
	}
	state->windows.left = bpf_ktime_get_ns();
	state->windows.left_cpu = bpf_get_smp_processor_id();
}

/* Handles a switch to a task. */
static __always_inline void window_enter_cpu(struct auxbpf_cpu *cpu, struct task_state *state)
{
	cpu->in_window = state && in_kept_window(&state->windows);
	if (!state || !state->windows.left)
		return;
	state->windows.off += bpf_ktime_get_ns() - state->windows.left;
	state->windows.moves += state->windows.left_cpu != bpf_get_smp_processor_id();
	state->windows.left = 0;
}

#endif
