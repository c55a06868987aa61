/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command that is traced: it is forked and held before its exec until everything is armed, so that not an
 * instruction of it is missed.
 */
#ifndef AUXBPF_SESSION_WORKLOAD_H
#define AUXBPF_SESSION_WORKLOAD_H

#include <sys/types.h>

#include "base/cleanup.h"
#include "base/waiter.h"
#include "gate/gate.h"
#include "session/command_user.h"

struct workload;

/* Tells whether there is such a command: 0, -ENOENT or -EACCES as for workload__new(). */
int workload__find(const char *name) _must_check_ _nonnull_(1);

/*
 * Logs that @command cannot be run because of @err, a negative errno. Returns the exit status that shells
 * have for that: 127 if there is no such command, 126 if it cannot be executed.
 */
int workload__error(const char *command, int err) _must_check_ _nonnull_(1);

/*
 * Does the same for a failed exec. The command was found before, so -ENOENT means that its interpreter is
 * missing.
 */
int workload__exec_error(const char *command, int err) _must_check_ _nonnull_(1);

/*
 * Finds argv[0] as the shell would and forks a child that waits, as one of @user if that is not NULL.
 * -ENOENT if there is no such command, -EACCES if it is not executable; nothing is logged for these two.
 * @argv must live as long as the workload.
 */
int workload__new(char *const *argv, const struct command_user *user, struct workload **ret) _must_check_
	_nonnull_(1, 3);

pid_t workload__pid(const struct workload *w) _nonnull_(1);

/*
 * Ends the wait when the command ends: at its last switch, as it is a target of @gate until then. The switch
 * comes a little after its end for its parent, and later if others have its CPU, but it is waited for a
 * second at most. @waiter and @gate must outlive the wait. 0 or a negative errno.
 */
int workload__watch(struct workload *w, struct waiter *waiter, const struct gate *gate) _must_check_
	_nonnull_(1, 2, 3);

/* Lets the child exec. 0, or the negative errno of a failed exec; then the child is gone. */
int workload__start(struct workload *w) _must_check_ _nonnull_(1);

/*
 * Returns 1 if the command has ended, with @status as a shell would give it (128 + N for signal N), or 0
 * while it runs. With @block it waits for the end; -EINTR if a signal comes first.
 */
int workload__status(struct workload *w, int block, int *status) _must_check_ _nonnull_(1, 3);

/*
 * Waits for the end of the command and returns its status. Passes on a signal that only auxbpf got, which ended the
 * wait of @waiter, as strace and perf do.
 */
int workload__end_status(struct workload *w, const struct waiter *waiter) _nonnull_(1, 2);

/* Ends a child that was never started; one that runs is left alone. */
void workload__free(struct workload *w);

DEFINE_CLEANUP(workload, struct workload *, workload__free)

#endif
