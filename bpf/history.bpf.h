/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What triggers must know of a task's past: the system call that it is in, when it left the CPU and was
 * woken, where it ran.
 *
 * In sched_switch the storage is only looked up: making one allocates, under the lock of the run queue. It is
 * made when the task is: at fork, and for those that are there before at the start.
 */
#ifndef AUXBPF_HISTORY_BPF_H
#define AUXBPF_HISTORY_BPF_H

#include "kept.bpf.h"
#include "auxbpf_trail.h"
#include "auxbpf_trigger.h"
#include "pid_ns.bpf.h"

/* A system call. */
struct noted_call {
	__u64 args[6];
	__u64 started; /* when it began, ns; 0: not known */
	__s32 nr;
	__u32 compat;
};

/* How a call that was interrupted goes on (interrupted.bpf.h). */
enum interruption {
	INTERRUPTED_NONE,    /* there is none */
	INTERRUPTED_OPEN,    /* it is made anew at once, unless a handler is called first */
	INTERRUPTED_HANDLED, /* it will be when the handler returns */
	INTERRUPTED_RESUMED, /* the handler has returned */
};

struct task_history {
	struct noted_call call;	       /* that the task is in, if in_call is set */
	struct noted_call interrupted; /* that goes on later */
	__u64 interrupted_ip;	       /* behind its instruction, on the task's stack */
	__u64 interrupted_sp;
	__s32 interrupted_ret;
	__u32 interruption; /* enum interruption */
	__u32 in_call;
	__u32 turn;	   /* which of the programs at its entry has seen it last */
	__u32 turn_at_end; /* the first of the programs at its end has seen it */
	__u32 born_in;	   /* its parent's call, as a number plus one, whose end it passes too; 0: it has */
	__u32 state;	   /* in which the task left the CPU, 0: ready to run */
	__u64 left;	   /* when that was, ns; 0: not yet */
	__u64 woken;	   /* when it became ready to run, ns */
	__s32 waker;	   /* who woke it last */
	__u32 ended;	   /* of a process's leader: its exit has been seen */
	__u64 taken;	   /* likewise: signals that its threads took without a handler, as bits */
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
 * A task is put aside on its way into a sleep too, and is ready to run then. And it does not go to sleep if a
 * signal is waiting, whatever older kernels tell as @state (kernel/sched/core.c, __schedule()).
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
 * Comes before the switch in which the task leaves, if somebody is fast; a sleep always ends with one. If an
 * interrupt does it, @waker is the task upon which that came.
 */
static __always_inline void history_waking(struct task_history *h, struct task_struct *waker)
{
	h->waker = task_tid(waker);
	__builtin_memcpy(h->waker_comm, waker->comm, sizeof(h->waker_comm));
}

/* Behind that switch. Only the first wake-up of a sleep counts. */
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
