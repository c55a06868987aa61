// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in for the programs of trigger.bpf.c that the kernel skips while a task is preempted inside of them,
 * as on_skip of auxbpf.bpf.c does for the gate's. A part of the main object.
 *
 * The event is one of the task that runs. A child that has been forked is not to be had here: its history is
 * made by a second program too (on_child).
 */
#define AUXBPF_GATE_ELSEWHERE
#define AUXBPF_TRIGGERS_ELSEWHERE
#define AUXBPF_NO_TIMER
/* Those of trigger.bpf.c have timers, or call what has. */
#define fire fire_on_skip
#define rule_holds rule_holds_on_skip
#include "trigger_kinds.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("perf_event")
int on_trigger_skip(struct pt_regs *called)
{
	__u64 skipped = regs_first(called);
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	const struct auxbpf_trigger_programs *programs = &this_session()->trigger_programs;

	if (skipped == programs->on_call)
		return enter_call(regs, regs_syscall(regs), 0);
	if (skipped == programs->on_return)
		return leave_call(regs, regs_ret(regs));
	if (skipped == programs->on_new_task)
		return start_task();
	if (skipped == programs->on_new_program)
		return start_program(task);
	if (skipped == programs->on_end)
		return end_task(task);
	return 0;
}
