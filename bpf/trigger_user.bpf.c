// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers at functions of programs. The loader gives this object the maps of the main object (auxbpf.bpf.c,
 * trigger.bpf.c), and attaches the two programs to all functions that rules name.
 *
 * They need no spares: while one of them is preempted the kernel runs it for other tasks all the same.
 */
#define AUXBPF_NO_TIMER
#include "function_calls.bpf.h"
#include "syscall.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Argument @n of a call, by the C language's rules for 64-bit programs. */
static __always_inline __u64 user_arg(struct pt_regs *regs, __u32 n)
{
#if defined(__TARGET_ARCH_x86)
	switch (n) {
	case 0:
		return regs->di;
	case 1:
		return regs->si;
	case 2:
		return regs->dx;
	case 3:
		return regs->cx;
	case 4:
		return regs->r8;
	default:
		return regs->r9;
	}
#else
	return regs->regs[n];
#endif
}

static __always_inline __u64 user_ret(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->ax;
#else
	return regs->regs[0];
#endif
}

SEC("uprobe")
int on_function_entry(struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 cookie = bpf_get_attach_cookie(regs);
	struct call *call;
	__u32 i;

	if (!is_watched(task))
		return 0;
	call = begin_call(task, AUXBPF_COOKIE_FUNCTION(cookie), regs->sp, AUXBPF_COOKIE_FILE(cookie), 1);
	if (!call)
		return 0;
	call->nr_args = 6;
	for (i = 0; i < 6; i++)
		call->args[i] = user_arg(regs, i);
	try_begin(task, call);
	return 0;
}

SEC("uretprobe")
int on_function_return(struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct call *call = this_call(task, AUXBPF_COOKIE_FUNCTION(bpf_get_attach_cookie(regs)));

	if (call && FRAME_LEFT(call->frame, regs->sp))
		end_call(task, call, user_ret(regs));
	return 0;
}
