// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers at one function of the kernel. The loader opens this object once for each function that rules
 * name, and gives it the maps of the main object (auxbpf.bpf.c, trigger.bpf.c).
 *
 * Frames, interrupts and preemption are as in window_function.bpf.c. Results and arguments are what registers
 * hold.
 */
#include "function_calls.bpf.h"
#include "interrupt.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile __u32 function;

/* Set once the function was called: at the end auxbpf warns of functions that nobody called. */
__u32 called SEC(".data");

static __always_inline void note_args(__u64 *ctx, struct call *call)
{
	__u32 i;

	call->nr_args = bpf_get_func_arg_cnt(ctx);
	for (i = 0; i < 6; i++) {
		__u64 value = 0;

		bpf_get_func_arg(ctx, i, &value);
		call->args[i] = value;
	}
}

static __always_inline int enter_function(__u64 *ctx, __u32 program)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct call *call;

	if (!called)
		called = 1;
	if (in_interrupt(task) || !is_watched(task))
		return 0;
	call = begin_call(task, function, (__u64)ctx, 0, program);
	if (!call)
		return 0;
	note_args(ctx, call);
	try_begin(task, call);
	return 0;
}

SEC("fentry")
int on_entry(__u64 *ctx)
{
	return enter_function(ctx, 1);
}

SEC("fentry")
int on_entry_spare(__u64 *ctx)
{
	return enter_function(ctx, 2);
}

static __always_inline int leave_function(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct call *call;
	__u64 ret = 0;

	if (in_interrupt(task))
		return 0;
	call = this_call(task, function);
	if (!call || (__u64)ctx < call->frame)
		return 0;
	bpf_get_func_ret(ctx, &ret);
	end_call(task, call, ret);
	return 0;
}

SEC("fexit")
int on_return(__u64 *ctx)
{
	return leave_function(ctx);
}

SEC("fexit")
int on_return_spare(__u64 *ctx)
{
	return leave_function(ctx);
}
