// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in for the programs of trigger.bpf.c that the kernel skips while a task is preempted inside them. It
 * does so for the gate's programs too, as on_skip of auxbpf.bpf.c does where there are no triggers, because
 * the breakpoint of a CPU has one program. This is a part of the main object.
 *
 * The event is one of the task that runs. The child of a fork cannot be reached from here, so its history is
 * made by a second program too (on_child).
 */
#define AUXBPF_GATE_ELSEWHERE
#define AUXBPF_TRIGGERS_ELSEWHERE
#define AUXBPF_NO_TIMER
/* The functions of these names in trigger.bpf.c have timers, or call what has: this source has its own. */
#define fire fire_on_skip
#define condition_holds condition_holds_on_skip
#include "trigger_events.bpf.h"

char LICENSE[] SEC("license") = "GPL";

extern int stand_in_for_gate(__u64 skipped);

static __always_inline int stand_in_for_trigger(__u64 skipped)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	struct auxbpf_trigger_programs *programs = &this_session()->trigger_programs;

	if (stands_in(&programs->on_call, skipped))
		return enter_call(regs, regs_syscall(regs), 0);
	if (stands_in(&programs->on_return, skipped))
		return leave_call(regs, regs_ret(regs), 0);
	if (stands_in(&programs->on_new_task, skipped))
		return start_task();
	if (stands_in(&programs->on_new_program, skipped))
		return start_program(task);
	if (stands_in(&programs->on_end, skipped))
		return end_task(task);
	return 0;
}

SEC("perf_event")
int on_trigger_skip(struct pt_regs *called)
{
	__u64 skipped = regs_first(called);

	stand_in_for_gate(skipped);
	return stand_in_for_trigger(skipped);
}
