// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window of one function of the kernel. The loader opens this object once for each function that was
 * asked for, and gives it the maps of the main object (auxbpf.bpf.c).
 *
 * The frame of a call is the address of the arguments that its trampoline keeps for the programs. It is on
 * the task's stack, it is the same at the entry and at the return, and it is lower in a call that is nested
 * in another one (arch/x86/net/bpf_jit_comp.c, __arch_prepare_bpf_trampoline(): regs_off; arm64: bargs_off).
 * So the window ends with the return from the outermost frame, or, if that return was missed, from one above
 * it.
 *
 * A function that an interrupt runs is not the task's doing, and opens no window. In one that the scheduler
 * calls for a task behind the tracepoint sched_switch the gate is the next task's already, and stays so.
 *
 * Preemption: fentry and fexit programs can be preempted, and while one is, the kernel skips it for the other
 * tasks of the CPU (kernel/bpf/trampoline.c, __bpf_prog_enter_recur()). So each of them has a spare, as in
 * the main object.
 */
#include "gate.bpf.h"
#include "gate_owner.bpf.h"
#include "interrupt.bpf.h"
#include "windows.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* The number of the function among those of --on-function. */
const volatile __u32 function;

/* Set once the function was called: at the end auxbpf warns of functions that nobody called. */
__u32 called SEC(".data");

static __always_inline int enter_function(__u64 frame)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state;

	if (!called)
		called = 1;
	if (in_interrupt(task))
		return 0;
	state = window_state_anywhere(task);
	if (!state || !call_is_outermost(state->kernel_frame, frame))
		return 0;
	state->kernel_frame = frame;
	function_begin(task, state, AUXBPF_WINDOW_KERNEL_FUNCTION, function, gate_is_for(task));
	return 0;
}

SEC("fentry")
int on_entry(__u64 *ctx)
{
	return enter_function((__u64)ctx);
}

SEC("fentry")
int on_entry_spare(__u64 *ctx)
{
	return enter_function((__u64)ctx);
}

static __always_inline int leave_function(__u64 frame)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = task_state(task);

	if (!state || !state->kernel_frame || frame < state->kernel_frame || in_interrupt(task))
		return 0;
	state->kernel_frame = 0;
	window_close(task, state, AUXBPF_WINDOW_KERNEL_FUNCTION, AUXBPF_CUT_NONE, 0, gate_is_for(task));
	return 0;
}

SEC("fexit")
int on_return(__u64 *ctx)
{
	return leave_function((__u64)ctx);
}

SEC("fexit")
int on_return_spare(__u64 *ctx)
{
	return leave_function((__u64)ctx);
}
