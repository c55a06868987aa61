/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When a task was off the CPU, from records of switches, and where in its calls that was.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_OFF_CPU_H
#define AUXBPF_CALLS_OFF_CPU_H

#include "calls/call_tree.h"

/* A task leaves a CPU, or comes to one. */
struct task_switch {
	uint64_t time; /* ns, in the clock of the capture */
	int32_t tid, cpu;
	bool is_out;
	uint32_t capture; /* which one of several tells of it, counted from 0 */
};

struct off_time {
	uint64_t begin, end;  /* ns */
	int32_t cpu, end_cpu; /* that the task left, and to which it came */
};

/* The times off the CPU of one task. Zero-initialised is empty and valid. */
struct off_times {
	struct off_time *list; /* by time */
	size_t nr, cap;
	struct off_time now; /* it has no end yet */
	bool is_off;	     /* @now holds */
};

/* Takes the next switch of the task, in the order of time. Returns 0 or -ENOMEM. */
int off_times__switch(struct off_times *times, const struct task_switch *s) _must_check_ _nonnull_(1, 2);
void off_times__release(struct off_times *times) _nonnull_(1);

/*
 * Adds a mark (CALL_MARK_OFF) to @tree, whose is_gate marks hold, for each time off the CPU that was inside of a call: behind
 * what ran before it. One inside of auxbpf's own work is put behind that, unless it is shown (@with_gate). The records of
 * switches and the trace differ by the time that the kernel takes for a switch, so it is where nothing else of the task has
 * most of that time. Returns 0 or -ENOMEM.
 */
int off_times__mark(const struct off_times *times, struct call_tree *tree, bool with_gate) _must_check_
	_nonnull_(1, 2);

#endif
