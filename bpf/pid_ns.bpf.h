/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of tasks as auxbpf and its user know them: those of the PID namespace in which auxbpf runs.
 */
#ifndef AUXBPF_PID_NS_BPF_H
#define AUXBPF_PID_NS_BPF_H

#include "gate.bpf.h"

/* The most levels that namespaces can have (include/linux/pid_namespace.h, MAX_PID_NS_LEVEL). */
#define PID_NS_LEVELS 32

/* The number in auxbpf's namespace; 0: the task is in another one, or has no number any more. */
static __noinline int pid_here(struct pid *pid)
{
	__u32 level;

	for (level = 0; level <= PID_NS_LEVELS && level <= BPF_CORE_READ(pid, level); level++) {
		struct upid *upid = (void *)pid + bpf_core_field_offset(pid->numbers) +
				    level * bpf_core_type_size(struct upid);

		if (BPF_CORE_READ(upid, ns, ns.inum) == config.pid_ns)
			return BPF_CORE_READ(upid, nr);
	}
	return 0;
}

static __always_inline __u32 task_tid(struct task_struct *task)
{
	return config.pid_ns ? (__u32)pid_here(task->thread_pid) : (__u32)task->pid;
}

static __always_inline __u32 task_pid(struct task_struct *task)
{
	return config.pid_ns ? (__u32)pid_here(task->group_leader->thread_pid) : (__u32)task->tgid;
}

/* The number that getppid() tells, but as seen from auxbpf's namespace (kernel/sys.c). */
static __always_inline __u32 task_ppid(struct task_struct *task)
{
	return task_pid(task->real_parent);
}

#endif
