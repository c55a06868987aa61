/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sees the tasks of one name at the events that a rule is about: when they come back to a CPU (offcpu, runq),
 * when a system call of theirs returns, when they end, when an interrupt of theirs ends. Tells for each event
 * whether the rule fired in this process's gate.
 */
#ifndef TESTS_FIRES_H
#define TESTS_FIRES_H

#include "auxbpf_trigger.h"

/* Absences shorter than this, in ns, are told only if the rule fires, as there are a lot of them. */
#define RETURN_MIN 100000

/* An event, as fires.bpf.c tells it. Times are of CLOCK_MONOTONIC, in ns, and later than the gate's. */
struct task_event {
	__u64 time;
	/* The next two are 0 unless a task is back: */
	__u64 left;
	__u64 ready;	/* since when it waited for the CPU; 0: that was not seen */
	__u64 switches; /* how often it had left a CPU */
	__u32 pid, tid;
	__u32 cpu;
	__u32 state; /* the state in which it left */
	__u32 fired;
	__s32 nr; /* of the system call that returns, or of the interrupt that ends; else -1 */
	char waker[AUXBPF_COMM_LEN];
};

#ifndef __bpf__

#include <stdio.h>

#include "base/cleanup.h"

struct fires;

/*
 * Watches the tasks called @name at the events that rules of @kind are about. To be called when the gate's
 * BPF programs are attached; rule N of the gate is the one of CPU N. 0 or a negative errno.
 */
int fires__new(const char *name, enum auxbpf_trigger_kind kind, struct fires **ret) _must_check_
	_nonnull_(1, 3);

/*
 * Prints a line for each event, "TIME TID SWITCHES LEFT READY fired|- CPU STATE WAKER PID NR", as in struct
 * task_event; the waker is a name or "-". 0, -ENOSPC if there were more events than could be kept, or another
 * negative errno.
 */
int fires__print(struct fires *fires, FILE *to) _must_check_ _nonnull_(1, 2);

void fires__free(struct fires *fires);

DEFINE_CLEANUP(fires, struct fires *, fires__free)

#endif

#endif
