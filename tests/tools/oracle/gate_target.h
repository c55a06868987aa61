/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is a target of the gate check, and when.
 *
 *  - A task of opts.pids, and with opts.all every task, is one in the whole log.
 *  - So is one that makes a NOTE mark of opts.notes; but if it executes a program, then only from its first
 *    execve on: before that it is the recorder's child. With on_cpu, and with a range, either
 *    is right before, and in that execve.
 *  - A task that makes the mark opts.begin_note becomes one, a task that makes opts.end_note ceases to be
 * one: at its next switch. Until then either is right.
 *  - With on_cpu either is right of what runs as the log begins, until it is switched to again.
 *
 * Whoever becomes a target in the middle of its work may be in a listed system call or function already:
 * without on_cpu either is right until it is in user mode again.
 */
#ifndef ORACLE_GATE_TARGET_H
#define ORACLE_GATE_TARGET_H

#include "gate_check.h"
#include "gate_tasks.h"

struct gate_targets {
	const struct gate_check_opts *opts;
	struct number_list noted; /* pids that made one of the marks */
	struct number_list execs; /* those of them that execute a program */
};

/* Reads the log's marks. Returns 0 or -ENOMEM. */
int gate_targets__init(struct gate_targets *targets, const struct oracle_log *log,
		       const struct gate_check_opts *opts) _must_check_ _nonnull_(1, 2, 3);
void gate_targets__release(struct gate_targets *targets) _nonnull_(1);

/* What a new task is. @running: it ran when the log began. */
void gate_targets__new_task(const struct gate_targets *targets, struct gate_task *task, bool running)
	_nonnull_(1, 2);

/* A switch to the task. */
void gate_targets__switch_in(const struct gate_targets *targets, struct gate_task *task) _nonnull_(1, 2);

/* Any record of the task. Whether it was a target and from this record on either is right. */
bool gate_targets__record(const struct gate_targets *targets, struct gate_task *task,
			  const struct oracle_record *rec) _must_check_ _nonnull_(1, 2, 3);

#endif
