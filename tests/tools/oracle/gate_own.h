/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the gate's own functions call on its path ("own" in slack.h): each call, to its return, may lead through
 * so many different branches at most.
 */
#ifndef ORACLE_GATE_OWN_H
#define ORACLE_GATE_OWN_H

#include "gate_report.h"
#include "gate_source.h"
#include "gate_tasks.h"

/* Whether the task is in such a call, and in no interrupt of it. */
bool gate_own__is_in(const struct gate_task *t) _nonnull_(1);

/*
 * Follows a branch that source__detour() has seen. @was_in: what gate_own__is_in() was before. A call that
 * is over is judged. Returns 0 or -ENOMEM.
 */
int gate_own__branch(struct gate_report *r, struct gate_task *t, const struct oracle_record *rec,
		     bool was_in) _must_check_ _nonnull_(1, 2, 3);

#endif
