/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The handler of an interrupt that runs on a CPU: when it began, and how long it took at its end. The BPF
 * programs and a unit test use this.
 *
 * The kernel may skip a program at either end. It does so only while another task of the CPU is preempted
 * inside that program. So a begin is that of an end if both are of the same task, and the task has not left
 * the CPU since: then nothing between the two was skipped.
 */
#ifndef AUXBPF_HANDLER_H
#define AUXBPF_HANDLER_H

#include "auxbpf_shared.h"

#ifndef __bpf__
#include <stdbool.h>
#endif

struct auxbpf_handler {
	__u64 began;	/* ns; 0: none has begun, or the end of the last one was seen */
	__u64 task;	/* address of the task that it interrupts */
	__u64 switches; /* how often that task had left a CPU */
};

static __always_inline void auxbpf_handler__begin(struct auxbpf_handler *h, __u64 task, __u64 switches,
						  __u64 now)
{
	h->began = now;
	h->task = task;
	h->switches = switches;
}

/* Ends the handler. False if its begin was not seen; else sets @took, in ns. */
static __always_inline bool auxbpf_handler__end(struct auxbpf_handler *h, __u64 task, __u64 switches,
						__u64 now, __u64 *took)
{
	__u64 began = h->began;

	if (!began || h->task != task || h->switches != switches)
		return false;
	h->began = 0;
	*took = now - began;
	return true;
}

#endif
