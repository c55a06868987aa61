/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One window of a task in the gate check, branch by branch: opening, running, closing.
 */
#ifndef ORACLE_GATE_WINDOW_H
#define ORACLE_GATE_WINDOW_H

#include "gate_report.h"
#include "gate_tasks.h"

/* The window begins, either with the entry of a system call or with the switch to a new task. */
void gate_window__begin(struct gate_task *t, const struct oracle_record *rec, enum stretch_begin begin)
	_nonnull_(1, 2);

/*
 * A branch of a task with a window. Returns 0, 1 if the window ended before this branch, which therefore is
 * one outside windows, or -ENOMEM.
 */
int gate_window__branch(struct gate_report *r, struct gate_task *t,
			const struct oracle_record *rec) _must_check_ _nonnull_(1, 2, 3);

/* The CPU switches from the window's task to another one. */
void gate_window__switch_out(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
	_nonnull_(1, 2, 3);

#endif
