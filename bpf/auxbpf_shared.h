/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs and the loader share: sizes, the layout of maps, the meaning of flags. Included by
 * both sides; the asserts hold the layouts together.
 */
#ifndef AUXBPF_SHARED_H
#define AUXBPF_SHARED_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* System call numbers at or above this are never in a list. x86_64 and aarch64 end well below. */
#define AUXBPF_MAX_SYSCALLS 1024
#define AUXBPF_SYSCALL_WORDS (AUXBPF_MAX_SYSCALLS / 64)

/* At most this many process ids with -p. */
#define AUXBPF_MAX_PIDS 64

/* Length of the strings that open and close the gate, with the NUL. */
#define AUXBPF_GATE_STRING 16

/* One CPU's gate and its counters; an entry of the mmapable array `cpus`, written by that CPU's programs
 * only. */
struct auxbpf_cpu {
	__u64 event;   /* address of the CPU's AUX event (struct perf_event) in the kernel, 0: none */
	__u64 opens;   /* times the gate was opened */
	__u64 closes;  /* times the gate was closed */
	__u64 refused; /* actions that the kernel did not carry out; each is tried again at the next switch */
	__u64 windows; /* windows that began here */
	__u64 windows_resumed; /* times a task came back to this CPU inside its window */
	__u32 want_open;       /* what the gate should be */
	__u32 retry;	       /* the last action was refused */
	__u64 missed; /* windows that ended here and had not begun: the kernel skipped the programs at their
			 begin */
};

_Static_assert(sizeof(struct auxbpf_cpu) == 64, "one cache line a CPU, the same on both sides");

#endif
