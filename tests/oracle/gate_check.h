/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gate check: from the log alone, the unit was on exactly for the windows of the target tasks.
 *
 * A window of a target task lasts from its SYSCALL, SYSENTER or INT 0x80 with a number of the list to its
 * return to user mode (SYSRET, or IRET to a user address) or to the first function of the slack file's "end"
 * list (what the kernel does between the sys_exit tracepoint and user mode is not the system call), across
 * switches and CPUs. A target task that was made inside a window (a call of a "fork" function) has
 * a window from its first execution (in a "child" function) to its return to user mode. The log does not say
 * who made a task: the next new targets are taken to be those made in windows.
 *
 * Required:
 *  - every branch of a window is traced, except the slack (slack.h): the stretch before the gate's opening,
 * the one after its closing, and those between the sched_switch tracepoint and a switch, each in listed
 * functions only and no longer than its limit;
 *  - no other branch is traced, except those of the task that runs before a switch to a task with an open
 * window, from the tracepoint on (slack again);
 *  - the gate is closed when a window begins and when it returns to user mode.
 * Interrupts that hit inside a window, to their IRET, are excepted: what the unit does in them is counted,
 * not judged. Faults are the task's own execution and not excepted.
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
	struct number_list
		notes; /* tasks that made one of these NOTE marks anywhere in the log are targets too */
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
