/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One window of a task in the gate check, branch by branch: opening, running, closing.
 */
#ifndef ORACLE_GATE_WINDOW_H
#define ORACLE_GATE_WINDOW_H

#include "gate_report.h"
#include "gate_tasks.h"

/*
 * The window begins, with the branch @rec or the switch to the task, and the gate opens after slack of @kind
 * (SLACK_NONE: it is open already).
 */
void gate_window__begin(struct gate_task *t, const struct oracle_record *rec, enum slack_kind kind)
	_nonnull_(1, 2);

/*
 * A branch of a task with a window, on no detour. Returns 0, 1 if the window ended before this branch, which
 * therefore is one outside windows, or -ENOMEM.
 */
int gate_window__branch(struct gate_report *r, struct gate_task *t,
			const struct oracle_record *rec) _must_check_ _nonnull_(1, 2, 3);

/* The same for the last branch: the gate closes after slack of @kind. */
int gate_window__last_branch(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec,
			     enum slack_kind kind) _must_check_ _nonnull_(1, 2, 3);

/* The window ended before this branch, and nothing said so. */
void gate_window__lost(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec)
	_nonnull_(1, 2, 3);

/* The window ends and is judged no further. */
void gate_window__end(struct gate_report *r, struct gate_task *t) _nonnull_(1, 2);

/*
 * The CPU switches from the window's task to another one. @gate_stays: to one that has an open window too.
 */
void gate_window__switch_out(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec,
			     bool gate_stays) _nonnull_(1, 2, 3);

#endif
