/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sees each time that a rule about switches, offcpu or runq, fires in this process's gate.
 */
#ifndef TESTS_FIRES_H
#define TESTS_FIRES_H

#include "auxbpf_trigger.h"

/* What fires.bpf.c tells. */
struct fire {
	__u64 time; /* CLOCK_MONOTONIC, ns */
	__u32 tid;  /* the task that is back */
	__u32 cpu;
	__u32 state; /* in which it left */
	__u32 reserved;
	char waker[AUXBPF_COMM_LEN];
};

#ifndef __bpf__

#include <stdio.h>

#include "base/cleanup.h"

struct fires;

/* To be called when the gate's programs are attached; its rule N is the one of CPU N. 0 or a negative errno.
 */
int fires__new(struct fires **ret) _must_check_ _nonnull_(1);

/* A line for each, "TIME TID CPU STATE WAKER", the last one a name or "-". */
void fires__print(struct fires *fires, FILE *to) _nonnull_(1, 2);

void fires__free(struct fires *fires);

DEFINE_CLEANUP(fires, struct fires *, fires__free)

#endif

#endif
