/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that runs the command of --exec, and no other. It is forked while auxbpf still has all the
 * rights that it was started with, so the command has them too, though auxbpf gives up most of them later
 * (base/privileges.h).
 */
#ifndef AUXBPF_SNAPSHOT_EXEC_HELPER_H
#define AUXBPF_SNAPSHOT_EXEC_HELPER_H

#include "base/cleanup.h"

struct exec_helper;

struct exec_result {
	int err;    /* positive errno if the command could not be run; ESTALE: the snapshot is gone */
	int status; /* of waitpid(2) */
};

/*
 * Starts the process; @command is for sh -c. To be called before there are threads, and before much memory is
 * set aside, as it forks. 0 or a negative errno.
 */
int exec_helper__new(const char *command, struct exec_helper **ret) _must_check_ _nonnull_(1, 2);

/*
 * Runs the command for the snapshot @name in the directory @dirfd, which @rule took, and waits for its end,
 * however long that takes. In its environment AUXBPF_SNAPSHOT is the snapshot's path at that time, and
 * AUXBPF_RULE is @rule.
 */
void exec_helper__run(struct exec_helper *helper, int dirfd, const char *name, const char *rule,
		      struct exec_result *ret) _nonnull_(1, 3, 4, 5);

/* Ends the process, once the command that it runs has ended. */
void exec_helper__free(struct exec_helper *helper);

DEFINE_CLEANUP(exec_helper, struct exec_helper *, exec_helper__free)

#endif
