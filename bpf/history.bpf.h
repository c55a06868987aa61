/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The history of a task that triggers need: the system call that it is in, when it left the CPU and was
 * woken, and where it ran.
 *
 * In sched_switch the storage is only looked up: to make one allocates memory, and there the lock of the run
 * queue is held. It is made with the task, at fork, and at the start of the session for tasks that are there
 * before.
 */
#ifndef AUXBPF_HISTORY_BPF_H
#define AUXBPF_HISTORY_BPF_H

#include "kept.bpf.h"
#include "auxbpf_trail.h"
#include "auxbpf_trigger.h"
#include "pid_ns.bpf.h"

/* A system call of a task. */
struct noted_call {
	__u64 args[6];
	__u64 started; /* when it began, ns; 0: not known */
	__s32 nr;
	__u32 compat;
};

/* The state of a system call that a signal interrupted (interrupted.bpf.h). */
enum interruption {
	INTERRUPTED_NONE,    /* there is no such call */
	INTERRUPTED_OPEN,    /* it is made anew at once, unless a handler is called first */
	INTERRUPTED_HANDLED, /* it is made anew when the handler returns */
	INTERRUPTED_RESUMED, /* the handler has returned */
};

struct task_history {
	struct noted_call call;	       /* the call that the task is in, if in_call is set */
	struct noted_call interrupted; /* the call that goes on later */
	__u64 interrupted_ip;	       /* address behind its instruction; the next is its stack pointer */
	__u64 interrupted_sp;
	__s32 interrupted_ret;
	__u32 interruption; /* enum interruption */
	__u32 in_call;
	__u32 turn;	   /* turn, plus one, of the program at a call's begin that ran last */
	__u32 turn_at_end; /* the first program at a call's end has run, its spare has not yet */
	/* Number, plus one, of its parent's call, whose end it passes too; 0: it has passed it. */
	__u32 born_in;
	__u32 state; /* state in which the task left the CPU; 0: ready to run */
	__u64 left;  /* when it left the CPU, ns; 0: it is there */
	__u64 woken; /* when it became ready to run, ns */
	__s32 waker; /* the thread that woke it last */
	__u32 ended; /* noted in a process's leader: the exit of the process has been seen */
	__u64 taken; /* noted in the leader: signals, as bits, that threads took without a handler */
	char waker_comm[AUXBPF_COMM_LEN];
	struct auxbpf_trail trail;
};

OF_TRIGGERS struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_history);
} histories SEC(".maps");

OF_TRIGGERS struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct task_history);
} histories_reserve SEC(".maps");

static const struct task_history no_history;

static __always_inline struct task_history *history(struct task_struct *task)
{
	return kept(&histories, &histories_reserve, task);
}

static __always_inline struct task_history *history_new(struct task_struct *task)
{
	return kept_new(&histories, &histories_reserve, task, &no_history, sizeof(no_history));
}

/*
 * Notes that the task leaves the CPU. If it is preempted on its way into a sleep, it is still ready to run.
 * It also is if a signal is waiting, because then it does not go to sleep, whatever older kernels tell as
 * @state (kernel/sched/core.c, __schedule()).
 */
static __always_inline void history_left(struct task_history *h, __u64 now, const struct task_struct *task,
					 bool preempt, __u32 state)
{
	auxbpf_trail__note(&h->trail, bpf_get_smp_processor_id(), now, now);
	if (preempt || !task->__state)
		state = 0;
	h->left = now;
	h->state = state;
	h->woken = state ? 0 : now;
}

/*
 * Notes who wakes the task. If the waker is fast this comes before the switch in which the task leaves, but a
 * sleep always ends with it. If an interrupt wakes the task, @waker is the task that was interrupted.
 */
static __always_inline void history_waking(struct task_history *h, struct task_struct *waker)
{
	h->waker = task_tid(waker);
	__builtin_memcpy(h->waker_comm, waker->comm, sizeof(h->waker_comm));
}

/* Notes that the task is ready to run. Comes behind that switch; only the first wake-up of a sleep counts. */
static __always_inline void history_woken(struct task_history *h, __u64 now)
{
	if (!h->woken)
		h->woken = now;
}

static __always_inline void history_arrived(struct task_history *h, __u64 now)
{
	auxbpf_trail__note(&h->trail, bpf_get_smp_processor_id(), now, AUXBPF_TRAIL_HERE);
}

#endif
