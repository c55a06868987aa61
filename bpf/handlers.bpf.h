/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long the handlers of interrupts keep a task from running.
 *
 * A soft interrupt ends in the task and on the CPU where it began, and none comes in the middle of another
 * one (kernel/softirq.c, handle_softirqs()). The handler of a hard interrupt runs with interrupts off
 * (kernel/irq/handle.c, __handle_irq_event_percpu()); an NMI of Arm's that comes in its middle is a part of
 * it. So a CPU needs one note for soft interrupts and one for hard ones.
 *
 * In a real-time kernel soft interrupts are a part of some thread, which can be preempted in the middle.
 * Others may begin on that CPU then, and programs can be skipped. So of a thread that was preempted nothing is
 * known (auxbpf_handler.h), and the end is counted as missed.
 */
#ifndef AUXBPF_HANDLERS_BPF_H
#define AUXBPF_HANDLERS_BPF_H

#include "trigger_task.bpf.h"
#include "auxbpf_handler.h"

/* The handler of the kind AUXBPF_TRIGGER_SOFTIRQ, and then that of AUXBPF_TRIGGER_IRQ. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct auxbpf_handler);
} handlers SEC(".maps");

static __always_inline struct auxbpf_handler *handler_of(enum auxbpf_trigger_kind kind)
{
	__u32 key = kind - AUXBPF_TRIGGER_SOFTIRQ;

	return bpf_map_lookup_elem(&handlers, &key);
}

static __always_inline int begin_handler(enum auxbpf_trigger_kind kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct auxbpf_handler *h = handler_of(kind);

	if (h)
		auxbpf_handler__begin(h, (__u64)task, task->nvcsw + task->nivcsw, bpf_ktime_get_ns());
	return 0;
}

static __always_inline void try_handler(struct task_struct *task, enum auxbpf_trigger_kind kind, __u32 number,
					__u64 took)
{
	struct auxbpf_event e = {};

	set_field(&e, AUXBPF_FIELD_IRQ, number);
	set_field(&e, AUXBPF_FIELD_LATENCY, took);
	try_task(task, &e, triggers.by_kind[kind]);
}

/* Ends the handler of the interrupt @number, and tries the rules of its kind. */
static __always_inline int end_handler(enum auxbpf_trigger_kind kind, __u32 number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct auxbpf_handler *h = handler_of(kind);
	__u64 took = 0;
	bool is_known = h && auxbpf_handler__end(h, (__u64)task, task->nvcsw + task->nivcsw,
						 bpf_ktime_get_ns(), &took);

	if (!is_watched(task))
		return 0;
	if (is_known)
		try_handler(task, kind, number, took);
	else
		count_missed_rules(triggers.by_kind[kind]);
	return 0;
}

#endif
