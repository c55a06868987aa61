/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sees the tasks of one name come back to a CPU, and at which of these switches a rule about switches, offcpu or
 * runq, fires in this process's gate.
 */
#ifndef TESTS_FIRES_H
#define TESTS_FIRES_H

#include "auxbpf_trigger.h"

/* Of shorter ones only those at which the rule fires are told, ns: there are a lot. */
#define RETURN_MIN 100000

/* What fires.bpf.c tells of a task that is back. Times are of CLOCK_MONOTONIC, ns, and later than the gate's. */
struct task_return {
	__u64 time;
	__u64 left;
	__u64 ready;	/* since when it has waited for the CPU; 0: that was not seen */
	__u64 switches; /* how often it had left a CPU */
	__u32 tid;
	__u32 cpu;
	__u32 state; /* in which it left */
	__u32 fired;
	char waker[AUXBPF_COMM_LEN];
};

#ifndef __bpf__

#include <stdio.h>

#include "base/cleanup.h"

struct fires;

/*
 * Of the tasks called @name. To be called when the gate's programs are attached; its rule N is the one of CPU N. 0
 * or a negative errno.
 */
int fires__new(const char *name, struct fires **ret) _must_check_ _nonnull_(1, 2);

/*
 * A line for each return, "TIME TID SWITCHES LEFT READY fired|- CPU STATE WAKER", as in struct task_return; the
 * last one a name or "-". -ENOSPC: there were more than could be kept.
 */
int fires__print(struct fires *fires, FILE *to) _must_check_ _nonnull_(1, 2);

void fires__free(struct fires *fires);

DEFINE_CLEANUP(fires, struct fires *, fires__free)

#endif

#endif
