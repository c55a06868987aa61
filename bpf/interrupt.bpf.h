/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells whether a program runs in an interrupt. That is in the kernel's preempt_count, which is in another
 * place on each architecture and has been in three on x86. The stack does not tell it: an interrupt of user
 * mode runs on the task's own (arch/x86/include/asm/irq_stack.h, call_on_irqstack_cond()).
 */
#ifndef AUXBPF_INTERRUPT_BPF_H
#define AUXBPF_INTERRUPT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#if defined(__TARGET_ARCH_x86)
/* Linux before 6.2 and since 6.15 has this variable; in between it is a member of pcpu_hot. */
extern const int __preempt_count __ksym __weak;
extern const struct pcpu_hot pcpu_hot __ksym __weak;
#endif

/*
 * Exists where preempt_count holds the count of disabled interrupts in its bits 16 to 23 (Linux 7.3), which
 * moves the other counts up.
 */
extern const unsigned long local_interrupt_disable_state __ksym __weak;

/* From include/linux/preempt.h. An NMI counts as an interrupt too (__preempt_count_nmi_enter()). */
#define SOFTIRQ_OFFSET 0x00000100
#define HARDIRQ_MASK 0x0f000000
#define HARDIRQ_MASK_BEFORE_7_3 0x000f0000

static __always_inline int preempt_count(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	const struct pcpu_hot *hot;

	if (&__preempt_count)
		return *(const int *)bpf_this_cpu_ptr(&__preempt_count);
	if (!&pcpu_hot)
		return 0;
	hot = bpf_this_cpu_ptr(&pcpu_hot);
	return hot->preempt_count;
#else
	return task->thread_info.preempt_count;
#endif
}

/* Whether a soft interrupt runs. Real-time kernels count that in the task. */
static __always_inline bool in_softirq(struct task_struct *task, int count)
{
	if (bpf_core_field_exists(task->softirq_disable_cnt))
		count = task->softirq_disable_cnt;
	return count & SOFTIRQ_OFFSET;
}

static __always_inline int hardirq_mask(void)
{
	return &local_interrupt_disable_state ? HARDIRQ_MASK : HARDIRQ_MASK_BEFORE_7_3;
}

static __always_inline bool in_interrupt(struct task_struct *task)
{
	int count = preempt_count(task);

	return (count & hardirq_mask()) || in_softirq(task, count);
}

/*
 * Whether an interrupt with a handler of its own has come in the middle of that of another one: only an NMI of
 * Arm's can (kernel/irq/chip.c, handle_fasteoi_nmi()).
 */
static __always_inline bool in_nested_interrupt(struct task_struct *task)
{
#if defined(__TARGET_ARCH_arm64)
	int mask = hardirq_mask(), one = mask & -mask;

	return (preempt_count(task) & mask) > one;
#else
	return false;
#endif
}

#endif
