// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stands in for the programs of trigger.bpf.c that the kernel skips while a task is preempted inside of them,
 * as on_skip of auxbpf.bpf.c does for the gate's. The loader gives this object the maps of both.
 *
 * The event is one of the task that runs. A child that has been forked is not to be had here: its history is
 * made by a second program too (on_child).
 */
#define AUXBPF_NO_TIMER
#include "trigger_kinds.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Programs by what they are called in trigger.bpf.c; 0: there is none. */
const volatile __u32 on_call, on_return, on_new_task, on_new_program, on_end;

SEC("perf_event")
int on_trigger_skip(struct pt_regs *called)
{
	struct bpf_prog *prog = (void *)regs_first(called);
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	__u32 id = BPF_CORE_READ(prog, aux, id);

	if (id == on_call)
		return enter_call(regs, regs_syscall(regs), 0);
	if (id == on_return)
		return leave_call(regs, regs_ret(regs));
	if (id == on_new_task)
		return start_task();
	if (id == on_new_program)
		return start_program(task);
	if (id == on_end)
		return end_task(task);
	return 0;
}
