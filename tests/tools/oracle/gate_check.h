/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate check: from the log alone, the unit was on exactly for the windows of the target tasks.
 *
 * The window of a target is open while any of these is, across switches and CPUs:
 *  - a system call: from its SYSCALL, SYSENTER or INT 0x80 with a number of the list to the gate's closing
 *    in its sys_exit tracepoint. What the kernel does after that on the way to user mode (signals,
 *    rescheduling) is not the system call. A target that was made inside one (a call of a "fork" function)
 *    has a window from its first execution (in a "child" function) to its own sys_exit; on Arm, where a new
 *    task has no sys_exit, none. The log does not say
 *    who made a task: the next new targets are taken to be those made in windows;
 *  - a function of the list, user or kernel: from the branch to its entry to its outermost return;
 *  - the range, from the branch to one kernel function to the next one to another, but for those on detours;
 *  - with on_cpu, everything that the task does, from the switch to it on.
 *
 * Required:
 *  - every branch of a window that the trace's modes have is traced, except the slack (slack.h): the stretch
 *    before the gate's opening, and those between the sched_switch tracepoint and a switch, each in listed
 *    functions only and no longer than its limit;
 *  - no other branch is traced, except, as slack too, what leads from a window's end to the gate's closing,
 *    and what the task before a switch to a task with an open window runs after the sched_switch tracepoint;
 *  - the gate is closed when a window begins, and before its task returns to user mode after its end; at a
 *    switch from one task with an open window to another it does not move.
 *
 * Detours are excepted, what the unit does in them is counted and not judged: interrupts that hit inside a
 * window, or in the task before a switch to one from the gate's opening on, to their IRET (those of user mode to the
 * return to user mode), and what the gate's own functions
 * call before its opening and before its closing ("own", gate_calls.h), to the return. Faults are the
 * task's own execution and no detours.
 *
 * Who is a target may change in the log (gate_target.h); where either is right, nothing is judged.
 *
 * Conditions: the log begins before the first window and has the kernel's symbols set (oracle-mark does
 * both).
 */
#ifndef ORACLE_GATE_CHECK_H
#define ORACLE_GATE_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "log_reader.h"
#include "slack.h"
#include "symbols.h"

/* A list of numbers of a command line. */
struct number_list {
	uint32_t *val;
	uint32_t nr;
};

struct address_list {
	uint64_t *val;
	uint32_t nr;
};

/* What the trace has branches of. */
enum gate_modes {
	MODE_USER = 1,
	MODE_KERNEL = 2,
};

struct gate_check_opts {
	const struct symbols *syms;
	struct slack *slack;
	bool arm;	    /* a kernel of 64-bit Arm, not of x86 */
	unsigned int modes; /* of enum gate_modes */

	/* Windows. */
	struct number_list syscalls;	 /* of 64-bit entries */
	struct number_list compat;	 /* of 32-bit entries */
	struct address_list functions;	 /* entries: user addresses are those of every target */
	uint64_t range_begin, range_end; /* entries of kernel functions; 0: there is no range */
	bool on_cpu;

	/* Targets; notes are numbers of NOTE marks, 0: no such mark. See gate_target.h. */
	struct number_list pids; /* tids */
	struct number_list notes;
	bool all;		 /* every task, the idle ones too */
	struct number_list cpus; /* that have a gate, if not all have one */
	uint32_t begin_note, end_note, either_note;

	long expect_windows; /* the number that there must be, or -1: at least one */
	bool slack_report;   /* list the functions that the slack was in */
	FILE *out;
};

/* Returns 0 if the gate was right, 1 if not (the report says where), or -ENOMEM. */
int gate_check__run(const struct oracle_log *log, const struct gate_check_opts *opts) _must_check_
	_nonnull_(1, 2);

bool number_list__has(const struct number_list *list, uint32_t val) _nonnull_(1);
int number_list__add(struct number_list *list, uint32_t val) _must_check_ _nonnull_(1);
bool address_list__has(const struct address_list *list, uint64_t val) _nonnull_(1);
int address_list__add(struct address_list *list, uint64_t val) _must_check_ _nonnull_(1);

#endif
