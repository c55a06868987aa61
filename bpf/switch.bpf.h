/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A switch of tasks: the gate of this CPU goes where the next one's windows say. Most switches are between
 * tasks that want it as it is; what tells them at once depends on the session (enum auxbpf_switches).
 */
#ifndef AUXBPF_SWITCH_BPF_H
#define AUXBPF_SWITCH_BPF_H

#include "gate.bpf.h"
#include "targets.bpf.h"
#include "windows.bpf.h"

#define TASK_DEAD 0x80 /* include/linux/sched.h */

/* The window is open and the gate cannot be: counted once a window. */
static __always_inline void count_cut(struct auxbpf_cpu *cpu, struct task_state *state)
{
	if (state->cut)
		return;
	state->cut = 1;
	cpu->cut++;
}

/*
 * The ioctl way's own thread leaves the gate as it is: if its turn closed the gate, the way back would open
 * it again and wake that thread again, and the target would not get on.
 */
static __always_inline bool is_mover(const struct task_struct *task)
{
	return config.control == AUXBPF_CONTROL_IOCTL && this_session()->mover == task->pid;
}

/*
 * The gate is as @next wants it, and so do all others of its cgroup: idle tasks, which are of the root, want
 * it closed. But not if target cgroups have been added since @version, nor where it is not to last: whoever
 * changes that clears settled_for behind it.
 */
static __always_inline void settle(struct auxbpf_cpu *cpu, struct task_struct *next, __u32 version)
{
	struct auxbpf_session *s = this_session();
	struct cgroup *cgroup = next->cgroups->dfl_cgrp;

	if (!next->pid || cpu->retry || (cpu->want_open && !cgroup->level))
		return;
	__sync_lock_test_and_set(&cpu->settled_for, (__u64)cgroup);
	if (cpu->frozen || !s->armed || s->cgroups_version != version)
		cpu->settled_for = 0;
}

static __always_inline void forget_task(struct task_struct *task)
{
	struct task_state *state = task_state(task);

	if (state && state->picked)
		__sync_fetch_and_sub(&this_session()->live_targets, 1);
}

static __noinline int switch_to(struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	__u32 version = *(volatile __u32 *)&this_session()->cgroups_version;
	struct auxbpf_cpu *cpu = this_cpu();
	struct task_state *state;
	bool armed, open;

	if ((config.kinds & AUXBPF_BY_TASK) && prev_state == TASK_DEAD)
		forget_task(prev);
	/* In this order: mark_task() does it the other way round. */
	__sync_lock_test_and_set(&cpu->known, 0);
	state = task_state(next);
	if (state)
		cpu->known = 1;
	if (is_mover(next))
		return 0;
	armed = is_armed();
	open = armed && task_wants_gate(next, state);
	if (armed && in_window(state)) {
		if (open && cpu->event)
			cpu->windows_resumed++;
		else if (config.may_cease)
			count_cut(cpu, state);
	}
	gate_set(cpu, open);
	if (config.switches == AUXBPF_SWITCHES_CGROUP)
		settle(cpu, next, version);
	return 0;
}

/* Most of its runs end here. The CPU is asked of the task: after a call, registers would have to be saved. */
SEC("tp_btf/sched_switch")
int on_sched_switch(__u64 *ctx)
{
	struct task_struct *next = (struct task_struct *)ctx[2];
	struct auxbpf_cpu *cpu = cpu_of(next->thread_info.cpu);

	cpu->stranger = 0;
	switch (config.switches) {
	case AUXBPF_SWITCHES_KNOWN:
		if (!task_is_known(next) && !cpu->unsettled)
			return 0;
		break;
	case AUXBPF_SWITCHES_USER:
		if (!cpu->unsettled && !uid_is_target(next))
			return 0;
		break;
	case AUXBPF_SWITCHES_CGROUP:
		if ((__u64)next->cgroups->dfl_cgrp == cpu->settled_for)
			return 0;
		break;
	}
	return switch_to((struct task_struct *)ctx[1], next, ctx[3]);
}

#endif
