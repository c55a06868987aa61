/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between architectures, and between 64- and 32-bit tasks of one, in a system call: where its
 * number and its arguments are, and which numbers are listed. And in the call of a user's function.
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

/* Results that are between the kernel and itself: a signal interrupts the call (include/linux/errno.h). */
#define ERESTARTSYS 512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

static __always_inline bool is_interrupted(long ret)
{
	return ret == -ERESTARTSYS || ret == -ERESTARTNOINTR || ret == -ERESTARTNOHAND ||
	       ret == -ERESTART_RESTARTBLOCK;
}

/* restart_syscall, by which some of those calls go on. */
static __always_inline bool is_restart_nr(bool compat, long nr)
{
	return nr == (compat ? config.compat_restart_nr : config.restart_nr);
}

/* What a system call that has ended returns. */
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

/* Whether a new task comes to the sys_exit tracepoint before user mode: arm64's ret_from_fork() passes it by. */
#if defined(__TARGET_ARCH_x86)
#define CHILD_EXITS_SYSCALL 1
#else
#define CHILD_EXITS_SYSCALL 0
#endif

/* What a call of a user's function pushed is off the stack again: on x86 the return address. */
#if defined(__TARGET_ARCH_x86)
#define FRAME_LEFT(frame, sp) ((sp) > (frame))
#else
#define FRAME_LEFT(frame, sp) ((sp) >= (frame))
#endif

/* What the session was told of a number: AUXBPF_SYSCALL_*. */
static __always_inline __u8 syscall_entry(bool compat, __u64 nr)
{
	if (nr >= AUXBPF_MAX_SYSCALLS)
		return AUXBPF_SYSCALL_NONE;
	return compat ? config.compat_syscalls[nr] : config.syscalls[nr];
}

/*
 * Whether a system call of this number can have a window, of a task of any kind: asked first, because most
 * have none. Numbers out of range may: rt_sigreturn leaves with -1.
 */
static __always_inline __u8 number_may_count(__u64 nr)
{
	/* Else clang may compare one copy and look up another, which the verifier of 6.1 does not follow. */
	barrier_var(nr);
	if (nr >= AUXBPF_MAX_SYSCALLS)
		return AUXBPF_NUMBER_COUNTS | AUXBPF_NUMBER_USER;
	return config.numbers[nr];
}

/* A number of which number_may_count() says this is of calls that may change their task's user. */
static __always_inline bool may_change_user(__u8 counts)
{
	return (config.kinds & AUXBPF_BY_UID) && counts >= AUXBPF_NUMBER_USER;
}

/* The same, of the task that runs. */
static __always_inline bool number_counts(__u64 nr)
{
	__u8 counts = number_may_count(nr);

	if (counts & AUXBPF_NUMBER_COMPAT)
		return task_in_compat_syscall(bpf_get_current_task_btf());
	return counts & AUXBPF_NUMBER_COUNTS;
}

/* Argument @n of the system call that begins: arch/x86/entry/calling.h, include/asm/syscall.h. */
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
	/* regs[0] is the return value later on; at entry it is the argument. */
	__u64 value = 0;

	if (n < 6)
		bpf_probe_read_kernel(&value, sizeof(value), &regs->regs[n]);
	return compat ? (__u32)value : value;
#endif
}

/* Reads an argument where the call ends: arm64 has the result in place of the first one. */
static __always_inline __u64 syscall_arg_at_end(struct pt_regs *regs, bool compat, __u32 n)
{
#if defined(__TARGET_ARCH_arm64)
	if (!n)
		return compat ? (__u32)regs->orig_x0 : regs->orig_x0;
#endif
	return syscall_arg(regs, compat, n);
}

#endif
