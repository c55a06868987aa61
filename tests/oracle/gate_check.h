/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate check: from the log alone, the unit was on exactly for the windows of the target tasks.
 *
 * A window of a target task lasts from its SYSCALL, SYSENTER or INT 0x80 with a number of the list to the
 * gate's closing in its sys_exit tracepoint, across switches and CPUs. What the kernel does after that on the
 * way to user mode (signals, rescheduling) is not the system call. A target task that was made inside a
 * window (a call of a "fork" function) has a window from its first execution (in a "child" function) to its
 * own sys_exit. The log does not say who made a task: the next new targets are taken to be those made in
 * windows.
 *
 * Required:
 *  - every branch of a window is traced, except the slack (slack.h): the stretch before the gate's opening,
 *    and those between the sched_switch tracepoint and a switch, each in listed functions only and no longer
 *    than its limit;
 *  - no other branch is traced, except, as slack too, the sys_exit tracepoint up to the gate's closing, and
 *    what the task before a switch to a task with an open window runs after the sched_switch tracepoint;
 *  - the gate is closed when a window begins, and before its task returns to user mode.
 *
 * Detours are excepted, what the unit does in them is counted and not judged: interrupts that hit inside a
 * window, to their IRET, and preemptions of the gate's own path before its opening and before its closing
 * ("preempt" functions, to their return). Faults are the task's own execution and no detours.
 *
 * Conditions: the log begins before the first window and has the kernel's symbols set (oracle-mark does
 * both), and the trace is one of the kernel only, not of user mode.
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

struct gate_check_opts {
	const struct symbols *syms;
	struct slack *slack;
	struct number_list pids; /* tids of target tasks */
	/*
	 * Tasks that made one of these NOTE marks are targets too: from their first execve in the log on if
	 * they make one (before it they are the recorder's child), else in all of it.
	 */
	struct number_list notes;
	struct number_list syscalls; /* of 64-bit entries */
	struct number_list compat;   /* of 32-bit entries */
	long expect_windows;	     /* the number that there must be, or -1: at least one */
	bool slack_report;	     /* list the functions that the slack was in */
	FILE *out;
};

/* Returns 0 if the gate was right, 1 if not (the report says where), or -ENOMEM. */
int gate_check__run(const struct oracle_log *log, const struct gate_check_opts *opts) _must_check_
	_nonnull_(1, 2);

bool number_list__has(const struct number_list *list, uint32_t val) _nonnull_(1);
int number_list__add(struct number_list *list, uint32_t val) _must_check_ _nonnull_(1);

#endif
