/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command that is traced: forked and held before its exec until everything is armed, so that not an
 * instruction of it is missed.
 */
#ifndef AUXBPF_SESSION_WORKLOAD_H
#define AUXBPF_SESSION_WORKLOAD_H

#include <sys/types.h>

#include "base/cleanup.h"
#include "gate/gate.h"
#include "base/waiter.h"

struct workload;

/* Whether there is such a command: 0, -ENOENT or -EACCES as for workload__new(). */
int workload__find(const char *name) _must_check_ _nonnull_(1);

/*
 * Says that @command cannot be run because of @err, a negative errno, and returns the exit status for it as
 * shells have it: 127 for a command that is not there, 126 for one that cannot be executed.
 */
int workload__error(const char *command, int err) _must_check_ _nonnull_(1);

/* The same for a failed exec: that the command is there was seen before, so what is missing is its
 * interpreter. */
int workload__exec_error(const char *command, int err) _must_check_ _nonnull_(1);

/*
 * Finds argv[0] as the shell would and forks a child that waits. -ENOENT if there is no such command, -EACCES
 * if it is not executable; nothing is logged for these two. @argv must live as long as the workload.
 */
int workload__new(char *const *argv, struct workload **ret) _must_check_ _nonnull_(1, 2);

pid_t workload__pid(const struct workload *w) _nonnull_(1);

/*
 * Ends the wait with the command: with its last switch, up to which it is a target of @gate. That comes a
 * little after its end for its parent, and not at once if others have its CPU; but it is waited for a second
 * at most. Both must outlive the wait. 0 or a negative errno.
 */
int workload__watch(struct workload *w, struct waiter *waiter, const struct gate *gate) _must_check_
	_nonnull_(1, 2, 3);

/* Lets the child exec. Returns 0, or the negative errno of a failed exec: the child is gone then. */
int workload__start(struct workload *w) _must_check_ _nonnull_(1);

/*
 * If the command has ended: 1, and @status as a shell would give it (128 + N for signal N). 0 while it runs.
 * With
 * @block it waits until then; -EINTR if a signal came first.
 */
int workload__status(struct workload *w, int block, int *status) _must_check_ _nonnull_(1, 3);

/* A child that was never started is ended; one that runs is left alone. */
void workload__free(struct workload *w);

DEFINE_CLEANUP(workload, struct workload *, workload__free)

#endif
