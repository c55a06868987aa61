/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sees the tasks of one name at the events that a rule is about, and at which of them it fires in this process's
 * gate: when they come back to a CPU (offcpu, runq), when a system call of theirs returns, when they end.
 */
#ifndef TESTS_FIRES_H
#define TESTS_FIRES_H

#include "auxbpf_trigger.h"

/* Of shorter ones only those at which the rule fires are told, ns: there are a lot. */
#define RETURN_MIN 100000

/* What fires.bpf.c tells of an event. Times are of CLOCK_MONOTONIC, ns, and later than the gate's. */
struct task_event {
	__u64 time;
	/* Of a task that is back, else 0: */
	__u64 left;
	__u64 ready;	/* since when it has waited for the CPU; 0: that was not seen */
	__u64 switches; /* how often it had left a CPU */
	__u32 pid, tid;
	__u32 cpu;
	__u32 state; /* in which it left */
	__u32 fired;
	__s32 nr; /* of the system call that returns, else -1 */
	char waker[AUXBPF_COMM_LEN];
};

#ifndef __bpf__

#include <stdio.h>

#include "base/cleanup.h"

struct fires;

/*
 * Of the tasks called @name, the events that rules of @kind are about. To be called when the gate's programs are
 * attached; its rule N is the one of CPU N. 0 or a negative errno.
 */
int fires__new(const char *name, enum auxbpf_trigger_kind kind, struct fires **ret) _must_check_
	_nonnull_(1, 3);

/*
 * A line for each event, "TIME TID SWITCHES LEFT READY fired|- CPU STATE WAKER PID NR", as in struct task_event; the
 * waker is a name or "-". -ENOSPC: there were more than could be kept.
 */
int fires__print(struct fires *fires, FILE *to) _must_check_ _nonnull_(1, 2);

void fires__free(struct fires *fires);

DEFINE_CLEANUP(fires, struct fires *, fires__free)

#endif

#endif
