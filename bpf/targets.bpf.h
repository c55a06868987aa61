/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Targets: the tasks that count. A task must match every kind of target that was asked for:
 *
 *	tasks	it was picked by pid or tid, as the command, or as the child of a picked task: that is
 *		noted in its storage
 *	comm	its name matches a pattern: that is noted in its storage, anew when the name changes
 *	uid	its user is looked up in its credentials
 *	cgroup	its cgroup is one of those asked for or lies below one: `cgroups` holds all of these,
 *		descendants too, so one lookup tells, however many there are and however deep the tree is
 *
 * User and cgroup are looked up whenever they matter. So a task that is moved or changes its user becomes or
 * ceases to be a target at its next switch. But a task that makes listed calls and was found to be no target
 * stays none until it is switched out or something clears `stranger` of its CPU.
 */
#ifndef AUXBPF_TARGETS_BPF_H
#define AUXBPF_TARGETS_BPF_H

#include "gate.bpf.h"
#include "kept.bpf.h"
#include "auxbpf_glob.h"
#include "auxbpf_window.h"
#include "pid_ns.bpf.h"

/* The begin of a window that is open (window_record.bpf.h). */
struct open_window {
	__u64 begin; /* ns; 0: none is open. It is written last */
	__u64 off;   /* task_windows.off then */
	__s32 what;  /* as in struct auxbpf_window */
	__u16 cpu;
	__u16 moves; /* task_windows.moves then */
};

/* The windows of a task, if they are kept. */
struct task_windows {
	struct open_window open[AUXBPF_WINDOW_KINDS];
	__u64 args[6]; /* of the system call */
	__u64 off;     /* ns that the task was off the CPU inside windows so far */
	__u64 left;    /* when it left the CPU inside a window, ns; 0: it is there */
	__u32 pid, tid;
	__u16 left_cpu;
	__u16 moves;  /* times that it went on on another CPU inside a window; wraps */
	__u32 compat; /* the system call is a 32-bit task's */
};

/* The notes on a task. windows.bpf.h opens and closes its windows. */
struct task_state {
	__u32 picked;	    /* -p, -t, the command, or a child of such a task */
	__u32 named;	    /* its name matches */
	__u32 in_syscall;   /* the window of a listed system call is open */
	__u32 seen;	    /* a listed system call of it has begun or ended since it is a target */
	__u32 ended;	    /* the first program has handled the sys_exit, and its spare need not */
	__u32 cut;	    /* the window that is open was counted as cut */
	__u32 ranges;	    /* the windows from one tracepoint to another that are open, a bit each */
	__u32 before_exec;  /* it has yet to execute the command, until then it runs our own code */
	__u64 kernel_frame; /* frame of the outermost listed kernel function that runs, 0: none */
	__u64 user_frame;   /* frame of the outermost listed user function, likewise */
	__u64 user_file;    /* a number for the file that function is in */
	/*
	 * The place at which restart_syscall will continue a listed system call that a signal interrupted:
	 * the kernel runs the same instruction on the same stack again. A handler may run in between, and
	 * system calls of its own may be restarted elsewhere.
	 */
	__u64 restart_ip;
	__u64 restart_sp;
	struct task_windows windows;
};

OF_GATE struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

OF_GATE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct task_state);
} tasks_reserve SEC(".maps");

static const struct task_state no_task_state;

/* Ids of the target cgroups and of all below them. */
OF_GATE struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u8);
} cgroups SEC(".maps");

/* Whether anything may be kept of a task, by any BPF program of the machine. */
static __always_inline bool task_is_known(struct task_struct *task)
{
	return task->bpf_storage || this_session()->reserved;
}

static __always_inline struct task_state *task_state(struct task_struct *task)
{
	return config.states ? kept(&tasks, &tasks_reserve, task) : NULL;
}

static __always_inline struct task_state *task_state_new(struct task_struct *task)
{
	return kept_new(&tasks, &tasks_reserve, task, &no_task_state, sizeof(no_task_state));
}

static __always_inline struct task_state *task_state_new_anywhere(struct task_struct *task)
{
	return kept_new_anywhere(&tasks, &tasks_reserve, task, &no_task_state, sizeof(no_task_state));
}

/*
 * The id of the task's cgroup in the v2 hierarchy. Here and below @task is a pointer that the verifier knows,
 * so each step is a load and not a call of a helper.
 */
static __always_inline __u64 task_cgroup(struct task_struct *task)
{
	return task->cgroups->dfl_cgrp->kn->id;
}

/*
 * The user by the task's own credentials. task->cred would not do: in overlayfs it is for a while that of
 * whoever mounted the file system.
 */
static __always_inline __u32 task_uid(struct task_struct *task)
{
	return task->real_cred->uid.val;
}

static __always_inline bool cgroup_is_target(struct task_struct *task)
{
	__u64 id = task_cgroup(task);

	return bpf_map_lookup_elem(&cgroups, &id);
}

static __always_inline bool uid_is_target(struct task_struct *task)
{
	__u32 uid = task_uid(task);
	__u32 i;

	for (i = 0; i < AUXBPF_MAX_UIDS && i < config.nr_uids; i++)
		if (config.uids[i] == uid)
			return true;
	return false;
}

/* Whether the task is a target. The idle tasks belong to nobody, and are targets only if every task is. */
static __always_inline bool is_target(struct task_struct *task, const struct task_state *state)
{
	if (!config.kinds)
		return true;
	if (!task->pid)
		return false;
	if ((config.kinds & AUXBPF_BY_TASK) && !(state && state->picked))
		return false;
	if ((config.kinds & AUXBPF_BY_COMM) && !(state && state->named))
		return false;
	if ((config.kinds & AUXBPF_BY_UID) && !uid_is_target(task))
		return false;
	if ((config.kinds & AUXBPF_BY_CGROUP) && !cgroup_is_target(task))
		return false;
	return true;
}

static long forget_stranger(__u32 nr, void *ctx)
{
	cpu_of(nr)->stranger = 0;
	return 0;
}

/* Clears `stranger` on all CPUs: something has made a task a target, and it may be running anywhere. */
static __always_inline void forget_strangers(void)
{
	bpf_loop(config.nr_cpus, forget_stranger, NULL, 0);
}

static __always_inline bool pid_is_listed(const volatile __s32 *list, __u32 nr, __s32 pid)
{
	__u32 i;

	for (i = 0; i < AUXBPF_MAX_PIDS && i < nr; i++)
		if (list[i] == pid)
			return true;
	return false;
}

/* Counts one more picked task that lives, or one less (@nr is -1). */
static __always_inline void count_live(const struct task_struct *task, __s64 nr)
{
	struct auxbpf_session *s = this_session();

	__sync_fetch_and_add(&s->live_targets, nr);
	if (task->tgid == s->command)
		__sync_fetch_and_add(&s->live_command, nr);
}

static __always_inline void pick(const struct task_struct *task, struct task_state *state)
{
	state->picked = 1;
	count_live(task, 1);
}

/* Marks the task if it is picked or has the name. True if something was not known before. */
static __always_inline bool mark_task(struct task_struct *task)
{
	bool picked = pid_is_listed(config.pids, config.nr_pids, task_pid(task)) ||
		      pid_is_listed(config.tids, config.nr_tids, task_tid(task));
	bool named = (config.kinds & AUXBPF_BY_COMM) && auxbpf_glob__match(&config.comms, task->comm);
	struct task_state *state;

	/* Dead tasks are left out: there is no last switch to come at which they cease to be targets. */
	if ((!picked && !named) || task->exit_state)
		return false;
	state = task_state_new(task);
	if (!state || (state->picked >= picked && state->named == named))
		return false;
	state->named = named;
	cpu_of(task->thread_info.cpu)->known = 1;
	if (config.command && task_tid(task) == (__u32)config.command) {
		this_session()->command = task->tgid;
		state->before_exec = 1;
	}
	if (picked && !state->picked)
		pick(task, state);
	return true;
}

#endif
