/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows system calls that a signal interrupts, so that conditions see them as the program that makes them
 * does. The kernel ends such a call with a number of its own (-ERESTARTSYS and so on), which no program ever
 * sees. On the way to user mode it replaces that by EINTR, because a handler is to be called, or has the call
 * made anew, at once or when the handler returns (arch/x86/kernel/signal.c, handle_signal() and
 * arch_do_signal_or_restart(); arch/arm64/kernel/signal.c, do_signal()). So the call has not ended at its
 * sys_exit. It is put aside until
 *
 *	signal_deliver	calls a handler: the call ends with EINTR, or it goes on behind the handler
 *	sys_enter	makes it anew, by its own number or by that of restart_syscall, with the same
 *			instruction on the same stack. Its begin is that of the first time
 *
 * A handler can leave without a return (siglongjmp()), and the next call can be one of the same instruction
 * on the same stack. So behind a handler a call goes on only if rt_sigreturn has led back to it. One call of
 * a task is put aside. If a call inside a handler is interrupted too, the one that the handler interrupted is
 * forgotten, and begins when it is made anew.
 */
#ifndef AUXBPF_INTERRUPTED_BPF_H
#define AUXBPF_INTERRUPTED_BPF_H

#include "history.bpf.h"
#include "syscall.bpf.h"

#define EINTR 4 /* include/uapi/asm-generic/errno-base.h */

#define SA_RESTART 0x10000000 /* include/uapi/asm-generic/signal-defs.h */

/* Puts the call of the task aside: it ends only for the time being. */
static __always_inline void put_aside(struct task_history *h, struct pt_regs *regs, long ret)
{
	h->interrupted = h->call;
	h->interrupted_ip = regs_ip(regs);
	h->interrupted_sp = regs_sp(regs);
	h->interrupted_ret = ret;
	h->interruption = INTERRUPTED_OPEN;
}

/*
 * Makes the call that was put aside the task's call again, if it is the one that begins; returns whether it
 * is.
 */
static __always_inline bool take_up(struct task_history *h, struct pt_regs *regs, bool compat, long nr)
{
	if (h->interruption != INTERRUPTED_OPEN && h->interruption != INTERRUPTED_RESUMED)
		return false;
	if (h->interrupted_ip != regs_ip(regs) || h->interrupted_sp != regs_sp(regs))
		return false;
	if (h->interrupted.nr != nr && !is_restart_nr(compat, nr))
		return false;
	h->call = h->interrupted;
	h->in_call = 1;
	h->interruption = INTERRUPTED_NONE;
	return true;
}

/* Notes at rt_sigreturn if it leads back to the instruction, of 2 or 4 bytes, that makes the call anew. */
static __always_inline void return_from_handler(struct task_history *h, struct pt_regs *regs)
{
	__u64 left = h->interrupted_ip - regs_ip(regs);

	if (h->interruption == INTERRUPTED_HANDLED && (left == 2 || left == 4) &&
	    h->interrupted_sp == regs_sp(regs))
		h->interruption = INTERRUPTED_RESUMED;
}

/*
 * Whether the kernel is on its way out of the call that was put aside. On x86 the registers tell. On arm64
 * they do not: they are those of the call made anew already, and they are the same if the signal comes when
 * the task is back in user mode, about to execute that one instruction.
 */
static __always_inline bool is_leaving(const struct task_history *h, struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs_syscall(regs) != -1 && (int)regs_ret(regs) == h->interrupted_ret;
#else
	return true;
#endif
}

/* Whether the call that was put aside ends with EINTR, now that a handler with these flags is called. */
static __always_inline bool ends_by_handler(struct task_history *h, struct pt_regs *regs, __u64 flags)
{
	bool restarts = h->interrupted_ret == -ERESTARTNOINTR ||
			(h->interrupted_ret == -ERESTARTSYS && (flags & SA_RESTART));

	if (h->interruption == INTERRUPTED_NONE)
		return false;
	if (h->interruption == INTERRUPTED_OPEN && !restarts && is_leaving(h, regs)) {
		h->interruption = INTERRUPTED_NONE;
		return true;
	}
	h->interruption = INTERRUPTED_HANDLED;
	return false;
}

#endif
