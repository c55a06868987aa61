/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the running kernel keeps what tells tasks apart, from /proc/kallsyms and its BTF.
 */
#ifndef ORACLE_KERNEL_LAYOUT_H
#define ORACLE_KERNEL_LAYOUT_H

#include <stdint.h>

#include "base/cleanup.h"

/* Addresses as in kallsyms: of per-CPU variables the offset in the CPU's area, or with it an address (6.15).
 */
struct kernel_layout {
	uint64_t switch_to;    /* __switch_to() */
	uint64_t current_task; /* per-CPU: struct task_struct * */
	uint64_t this_cpu_off; /* per-CPU: what is added to reach this CPU's area */
	uint64_t task_pid;     /* offsetof(struct task_struct, pid) */
	uint64_t task_tgid;    /* offsetof(struct task_struct, tgid) */
};

/* Returns 0 or a negative errno, and then says on stderr what was not found. Needs to be root. */
int kernel_layout__read(struct kernel_layout *layout) _must_check_ _nonnull_(1);

#endif
