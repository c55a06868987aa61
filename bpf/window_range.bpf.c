// SPDX-License-Identifier: GPL-2.0-only
/*
 * The windows from one tracepoint to another. The loader opens this object once for each pair that was asked
 * for, and gives it the maps of the main object (auxbpf.bpf.c).
 *
 * A tracepoint may be hit in any context. A hit in an interrupt or an NMI is not the task's doing, and neither
 * opens nor closes a window, so nothing but flags is written there. The task itself may hold a lock of the
 * scheduler. The programs take none of these; nor does the gate, which sched_switch moves under them too. For
 * such places there are gate_is_for() and window_state_anywhere().
 *
 * Whether it is an interrupt, and whom the CPU runs next, programs read from variables of the kernel. Kernels
 * without CONFIG_KALLSYMS_ALL tell no addresses of these, and do not load a program that names one. There the
 * programs *_blind are loaded instead, which take every hit for the task's.
 *
 * Preemption: the programs can be preempted, and come twice, as in the main object. The spare comes before the
 * task's next hit, and finds the window open or closed as its program has left it.
 */
#include "gate.bpf.h"
#include "gate_owner.bpf.h"
#include "interrupt.bpf.h"
#include "syscall.bpf.h"
#include "windows.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* The bit of this range in a task's notes. */
const volatile __u32 range = 0;

/* The system calls whose sys_enter or sys_exit counts; -1: the tracepoint is another one, or each call counts. */
const volatile __s32 begin_syscall = -1;
const volatile __s32 end_syscall = -1;

/* Set once a tracepoint was hit. At the end auxbpf warns of those at which nothing could begin or end. */
__u32 begin_by_task SEC(".data");
__u32 begin_by_interrupt SEC(".data");
__u32 end_by_task SEC(".data");
__u32 end_by_interrupt SEC(".data");

static __always_inline void set(__u32 *flag)
{
	if (!*flag)
		*flag = 1;
}

/*
 * The task comes to the tracepoint at which the range begins. Without @gate only that is noted: the gate
 * is for another task already, and moves when this one runs again. Ranges do not nest in themselves.
 */
static __always_inline void range_begin(struct task_struct *task, bool gate)
{
	struct task_state *state = window_state_anywhere(task);
	struct auxbpf_cpu *cpu = this_cpu();
	unsigned long flags;

	if (!state)
		return;
	irq_save(&flags);
	if (!(__sync_fetch_and_or(&state->ranges, range) & range))
		window_open(state, cpu, gate);
	irq_restore(&flags);
}

/* The task comes to the tracepoint at which the range ends. */
static __always_inline void range_end(struct task_struct *task, bool gate)
{
	struct task_state *state = task_state(task);

	if (state && __sync_fetch_and_and(&state->ranges, ~range) & range && gate)
		gate_refresh(task, state);
}

/* Both tracepoints have the registers as their first argument. 32-bit tasks number their calls otherwise. */
static __always_inline bool syscall_counts(struct task_struct *task, __u64 *ctx, __s32 syscall)
{
	return syscall < 0 ||
	       (regs_syscall((struct pt_regs *)ctx[0]) == syscall && !task_in_compat_syscall(task));
}

static __always_inline int hit_begin(__u64 *ctx, bool blind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool interrupt;

	if (!syscall_counts(task, ctx, begin_syscall))
		return 0;
	interrupt = !blind && in_interrupt(task);
	set(interrupt ? &begin_by_interrupt : &begin_by_task);
	if (!interrupt)
		range_begin(task, blind || gate_is_for(task));
	return 0;
}

static __always_inline int hit_end(__u64 *ctx, bool blind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool interrupt;

	if (!syscall_counts(task, ctx, end_syscall))
		return 0;
	interrupt = !blind && in_interrupt(task);
	set(interrupt ? &end_by_interrupt : &end_by_task);
	if (!interrupt)
		range_end(task, blind || gate_is_for(task));
	return 0;
}

SEC("tp_btf")
int on_begin(__u64 *ctx)
{
	return hit_begin(ctx, false);
}

SEC("tp_btf")
int on_begin_spare(__u64 *ctx)
{
	return hit_begin(ctx, false);
}

SEC("tp_btf")
int on_begin_blind(__u64 *ctx)
{
	return hit_begin(ctx, true);
}

SEC("tp_btf")
int on_begin_blind_spare(__u64 *ctx)
{
	return hit_begin(ctx, true);
}

SEC("tp_btf")
int on_end(__u64 *ctx)
{
	return hit_end(ctx, false);
}

SEC("tp_btf")
int on_end_spare(__u64 *ctx)
{
	return hit_end(ctx, false);
}

SEC("tp_btf")
int on_end_blind(__u64 *ctx)
{
	return hit_end(ctx, true);
}

SEC("tp_btf")
int on_end_blind_spare(__u64 *ctx)
{
	return hit_end(ctx, true);
}
