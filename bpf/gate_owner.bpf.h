/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells whose the gate of a CPU is, for programs that the scheduler's own functions and tracepoints run.
 *
 * Kernels without CONFIG_KALLSYMS_ALL do not load a program that asks: they tell no addresses of variables.
 */
#ifndef AUXBPF_GATE_OWNER_BPF_H
#define AUXBPF_GATE_OWNER_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

extern const struct rq runqueues __ksym;

/*
 * Whether the gate of this CPU is for @task, which runs. From the tracepoint sched_switch on, where the gate is
 * moved for the next task, up to the switch itself it is not; rq->curr is the next task already
 * (kernel/sched/core.c, __schedule()).
 */
static __always_inline bool gate_is_for(struct task_struct *task)
{
	const struct rq *rq = bpf_this_cpu_ptr(&runqueues);

	return rq->curr == task;
}

#endif
