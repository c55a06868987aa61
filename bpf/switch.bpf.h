/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switches of tasks: the gate of this CPU becomes what the windows of the next task say. Most switches are
 * between tasks that want the gate as it is. The test that finds these at once depends on the session (enum
 * auxbpf_switches).
 */
#ifndef AUXBPF_SWITCH_BPF_H
#define AUXBPF_SWITCH_BPF_H

#include "gate.bpf.h"
#include "targets.bpf.h"
#include "windows.bpf.h"

#define TASK_DEAD 0x80 /* include/linux/sched.h */

/* Counts, once for each window, that it is open while the gate cannot be. */
static __always_inline void count_cut(struct auxbpf_cpu *cpu, struct task_state *state)
{
	if (state->cut)
		return;
	state->cut = 1;
	cpu->cut++;
}

/*
 * Whether the task is the thread that moves the gates in the ioctl way. A switch to it leaves the gate as it
 * is. If it closed the gate, the switch back would open it and wake that thread again, and the target would
 * not get on.
 */
static __always_inline bool is_mover(struct task_struct *task)
{
	return config.control == AUXBPF_CONTROL_IOCTL && (__u32)this_session()->mover == task_tid(task);
}

/* The value that settled_for is compared with. It is never AUXBPF_UNSETTLED. */
static __always_inline __u64 user_of(struct task_struct *task)
{
	return task_uid(task);
}

static __always_inline __u64 cgroup_of(struct task_struct *task)
{
	return (__u64)task->cgroups->dfl_cgrp;
}

/*
 * Whether the task has the user or the cgroup of the idle tasks, which want the gate closed: root, or the
 * cgroup at the top.
 */
static __always_inline bool is_of_idle(struct task_struct *task)
{
	return config.switches == AUXBPF_SWITCHES_USER ? !task_uid(task) : !task->cgroups->dfl_cgrp->level;
}

/*
 * Notes that the gate is as @next wants it, and as all others of its user or cgroup want it. If the gate is
 * open that does not hold for idle tasks, so nothing is noted for their user or cgroup. The note is withdrawn
 * if target cgroups have been added since @version, or if the gate is not to last; whoever changes one of
 * these later clears settled_for after the change.
 */
static __always_inline void settle(struct auxbpf_cpu *cpu, struct task_struct *next, __u32 version)
{
	struct auxbpf_session *s = this_session();
	__u64 key = config.switches == AUXBPF_SWITCHES_USER ? user_of(next) : cgroup_of(next);

	if (!next->pid || cpu->retry || (cpu->want_open && is_of_idle(next)))
		return;
	__sync_lock_test_and_set(&cpu->settled_for, key);
	if (cpu->frozen || !s->armed || s->cgroups_version != version)
		cpu->settled_for = AUXBPF_UNSETTLED;
}

static __always_inline void forget_task(struct task_struct *task)
{
	struct task_state *state = task_state(task);

	if (state && state->picked)
		count_live(task, -1);
}

static __noinline int switch_to(struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	__u32 version = *(volatile __u32 *)&this_session()->cgroups_version;
	struct auxbpf_cpu *cpu = this_cpu();
	struct task_state *state;
	bool armed, open;

	if ((config.kinds & AUXBPF_BY_TASK) && prev_state == TASK_DEAD)
		forget_task(prev);
	if (config.keep_windows && cpu->in_window)
		window_leave_cpu(prev, prev_state == TASK_DEAD);
	/*
	 * `known` is cleared before the task is looked up: mark_task() makes the note first, and sets it
	 * then.
	 */
	__sync_lock_test_and_set(&cpu->known, 0);
	state = task_state(next);
	if (state)
		cpu->known = 1;
	if (config.keep_windows)
		window_enter_cpu(cpu, state);
	if (is_mover(next))
		return 0;
	armed = is_armed();
	open = armed && task_wants_gate(next, state);
	if (armed && in_window(state)) {
		if (open && cpu->event)
			cpu->windows_resumed++;
		else
			count_cut(cpu, state);
	}
	gate_set(cpu, open);
	if (config.switches >= AUXBPF_SWITCHES_USER)
		settle(cpu, next, version);
	return 0;
}

/*
 * One of the four programs on_switch_* is loaded (enum auxbpf_switches), and most of its runs end in it. The
 * number of the CPU is read from the task, because a call would make the program save registers.
 */
static __always_inline struct auxbpf_cpu *cpu_of_next(struct task_struct *next)
{
	return cpu_of(next->thread_info.cpu);
}

SEC("tp_btf/sched_switch")
int on_switch_any(__u64 *ctx)
{
	struct task_struct *next = (struct task_struct *)ctx[2];

	cpu_of_next(next)->stranger = 0;
	return switch_to((struct task_struct *)ctx[1], next, ctx[3]);
}

SEC("tp_btf/sched_switch")
int on_switch_known(__u64 *ctx)
{
	struct task_struct *next = (struct task_struct *)ctx[2];
	struct auxbpf_cpu *cpu = cpu_of_next(next);

	cpu->stranger = 0;
	if (!cpu->unsettled && !task_is_known(next))
		return 0;
	return switch_to((struct task_struct *)ctx[1], next, ctx[3]);
}

/* Comes behind the task's last switch, from a callback of RCU. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(on_free, struct task_struct *task)
{
	kept_end(&tasks, &tasks_reserve, task, sizeof(no_task_state));
	return 0;
}

/* For sessions in which only the user decides: they have no windows in system calls, and no strangers. */
SEC("tp_btf/sched_switch")
int on_switch_user(__u64 *ctx)
{
	struct task_struct *next = (struct task_struct *)ctx[2];

	if (user_of(next) == cpu_of_next(next)->settled_for)
		return 0;
	return switch_to((struct task_struct *)ctx[1], next, ctx[3]);
}

/* For sessions in which only the cgroup decides, likewise. */
SEC("tp_btf/sched_switch")
int on_switch_cgroup(__u64 *ctx)
{
	struct task_struct *next = (struct task_struct *)ctx[2];

	if (cgroup_of(next) == cpu_of_next(next)->settled_for)
		return 0;
	return switch_to((struct task_struct *)ctx[1], next, ctx[3]);
}

#endif
