/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls on each architecture, and in its 64- and 32-bit tasks: where the number and the arguments are,
 * and which numbers are listed. There is also what differs in the call of a user's function.
 */
#ifndef AUXBPF_SYSCALL_BPF_H
#define AUXBPF_SYSCALL_BPF_H

#include "gate.bpf.h"
#include "auxbpf_condition.h"

#define TS_COMPAT 0x0002 /* arch/x86/include/asm/thread_info.h */
#define TIF_32BIT 22	 /* arch/arm64/include/asm/thread_info.h */

static __always_inline bool task_in_compat_syscall(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return task->thread_info.status & TS_COMPAT;
#else
	return task->thread_info.flags & (1ul << TIF_32BIT);
#endif
}

static __always_inline __u64 regs_ip(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->ip;
#else
	return regs->pc;
#endif
}

static __always_inline long regs_syscall(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->orig_ax;
#else
	return regs->syscallno;
#endif
}

/* Results that only the kernel sees: a signal interrupts the call (include/linux/errno.h). */
#define ERESTARTSYS 512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

static __always_inline bool is_interrupted(long ret)
{
	return ret == -ERESTARTSYS || ret == -ERESTARTNOINTR || ret == -ERESTARTNOHAND ||
	       ret == -ERESTART_RESTARTBLOCK;
}

/* Whether the number is that of restart_syscall, by which some of those calls go on. */
static __always_inline bool is_restart_nr(bool compat, long nr)
{
	return nr == (compat ? config.compat_restart_nr : config.restart_nr);
}

/* The result of a system call that has ended. */
static __always_inline long regs_ret(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->ax;
#else
	return regs->regs[0];
#endif
}

/* The first argument of a function of the kernel, at its entry. */
static __always_inline __u64 regs_first(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->di;
#else
	return regs->regs[0];
#endif
}

static __always_inline __u64 regs_sp(struct pt_regs *regs)
{
	return regs->sp;
}

/* Whether a new task comes to sys_exit before user mode. On arm64 ret_from_fork() passes it by. */
#if defined(__TARGET_ARCH_x86)
#define CHILD_EXITS_SYSCALL 1
#else
#define CHILD_EXITS_SYSCALL 0
#endif

/*
 * Whether the call with this frame has returned: what it pushed is off the stack. On x86 that is the return
 * address.
 */
#if defined(__TARGET_ARCH_x86)
#define FRAME_LEFT(frame, sp) ((sp) > (frame))
#else
#define FRAME_LEFT(frame, sp) ((sp) >= (frame))
#endif

/* The entry of a number in the tables of the session: AUXBPF_SYSCALL_*. */
static __always_inline __u8 syscall_entry(bool compat, __u64 nr)
{
	/* As in number_may_count(): on arm64 clang compared another copy, and 7.3 refused the stand-in. */
	barrier_var(nr);
	if (nr >= AUXBPF_MAX_SYSCALLS)
		return AUXBPF_SYSCALL_NONE;
	return compat ? config.compat_syscalls[nr] : config.syscalls[nr];
}

/*
 * Whether a system call of this number can have a window, in a 64- or a 32-bit task (AUXBPF_NUMBER_*). This
 * is checked first, because most have none. Numbers out of range may: rt_sigreturn leaves with -1.
 */
static __always_inline __u8 number_may_count(__u64 nr)
{
	/*
	 * Without this clang may compare one copy and look up another, which the verifier of 6.1 does not
	 * follow.
	 */
	barrier_var(nr);
	if (nr >= AUXBPF_MAX_SYSCALLS)
		return AUXBPF_NUMBER_COUNTS | AUXBPF_NUMBER_USER;
	return config.numbers[nr];
}

/* Whether a call for which number_may_count() says @counts may change its task's user. */
static __always_inline bool may_change_user(__u8 counts)
{
	return (config.kinds & AUXBPF_BY_UID) && counts >= AUXBPF_NUMBER_USER;
}

/* Whether a system call of this number can have a window in the task that runs. */
static __always_inline bool number_counts(__u64 nr)
{
	__u8 counts = number_may_count(nr);

	if (counts & AUXBPF_NUMBER_COMPAT)
		return task_in_compat_syscall(bpf_get_current_task_btf());
	return counts & AUXBPF_NUMBER_COUNTS;
}

/* Argument @n of the system call that begins (arch/x86/entry/calling.h, include/asm/syscall.h). */
static __always_inline __u64 syscall_arg(struct pt_regs *regs, bool compat, __u32 n)
{
#if defined(__TARGET_ARCH_x86)
	switch (n) {
	case 0:
		return compat ? (__u32)regs->bx : regs->di;
	case 1:
		return compat ? (__u32)regs->cx : regs->si;
	case 2:
		return compat ? (__u32)regs->dx : regs->dx;
	case 3:
		return compat ? (__u32)regs->si : regs->r10;
	case 4:
		return compat ? (__u32)regs->di : regs->r8;
	default:
		return compat ? (__u32)regs->bp : regs->r9;
	}
#else
	/* At the begin regs[0] is the argument; later it is the return value. */
	__u64 value = 0;

	if (n < 6)
		bpf_probe_read_kernel(&value, sizeof(value), &regs->regs[n]);
	return compat ? (__u32)value : value;
#endif
}

/* All arguments of the system call that begins. */
static __always_inline void syscall_args(struct pt_regs *regs, bool compat, __u64 to[6])
{
#if defined(__TARGET_ARCH_x86)
	to[0] = syscall_arg(regs, compat, 0);
	to[1] = syscall_arg(regs, compat, 1);
	to[2] = syscall_arg(regs, compat, 2);
	to[3] = syscall_arg(regs, compat, 3);
	to[4] = syscall_arg(regs, compat, 4);
	to[5] = syscall_arg(regs, compat, 5);
#else
	__u32 i;

	bpf_probe_read_kernel(to, 6 * sizeof(*to), regs->regs);
	for (i = 0; compat && i < 6; i++)
		to[i] = (__u32)to[i];
#endif
}

/* Argument @n of a system call that ends. arm64 has the result in place of the first one there. */
static __always_inline __u64 syscall_arg_at_end(struct pt_regs *regs, bool compat, __u32 n)
{
#if defined(__TARGET_ARCH_arm64)
	if (!n)
		return compat ? (__u32)regs->orig_x0 : regs->orig_x0;
#endif
	return syscall_arg(regs, compat, n);
}

#endif
