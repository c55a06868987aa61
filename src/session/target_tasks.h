/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks of -p and -t: checks that they are there when a capture begins, and finds when the last of them,
 * and of the children that were followed, has ended.
 */
#ifndef AUXBPF_SESSION_TARGET_TASKS_H
#define AUXBPF_SESSION_TARGET_TASKS_H

#include "base/cleanup.h"
#include "base/waiter.h"
#include "gate/gate.h"
#include "rules/target_set.h"

struct target_tasks;

/* Looks for each of the tasks. Logs which is not there; 0 or a negative errno. */
int target_tasks__new(const char *root, const struct target_set *set, struct target_tasks **ret) _must_check_
	_nonnull_(1, 2, 3);

/*
 * Ends the waiter's run when none of the tasks and none of their followed children lives. 0 or a negative
 * errno.
 */
int target_tasks__watch(struct target_tasks *tasks, struct waiter *waiter, struct gate *gate) _must_check_
	_nonnull_(1, 2, 3);

void target_tasks__free(struct target_tasks *tasks);

DEFINE_CLEANUP(target_tasks, struct target_tasks *, target_tasks__free)

#endif
