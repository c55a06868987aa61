/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs of others that write to the event bpf_trace:bpf_trace_printk, and were loaded since some moment: the
 * kernel has switched that event on for them, too, and they need it.
 */
#ifndef AUXBPF_GATE_PRINTK_USERS_H
#define AUXBPF_GATE_PRINTK_USERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct printk_users {
	const char *root; /* of /proc */
	pid_t loader;	  /* whose programs are ours */
	uint32_t last_id; /* of the programs that were there */
};

/* From this moment on. The ctx is a struct printk_users of which the first two are set. */
void printk_users__begin(void *ctx) _nonnull_(1);

/*
 * Whether there is such a program now. Of a loader that has ended the programs may be there for a while: that long
 * this waits. The ids of programs rise (bpf_prog_alloc_id(), kernel/bpf/syscall.c), and come after a program is
 * verified, which is when the kernel switches the event on: one whose load is under way is not seen yet. Where the
 * kernel shows no numbers of helpers (kptr_restrict), any program that calls one is taken for one that writes. The
 * loader may wait for the answer: all symbols of the kernel are read only for a program of others. The ctx is a struct
 * printk_users.
 */
bool printk_users__are_there(const void *ctx) _must_check_ _nonnull_(1);

#endif
