/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The process that runs the command of --exec. It is made while auxbpf still has all that it was started with, so the command
 * has it too, though auxbpf gives up most of its rights later (base/privileges.h). It runs that one command and no other.
 */
#ifndef AUXBPF_SNAPSHOT_EXEC_HELPER_H
#define AUXBPF_SNAPSHOT_EXEC_HELPER_H

#include "base/cleanup.h"

struct exec_helper;

struct exec_result {
	int err; /* positive: an errno by which the command could not be run; ESTALE: the snapshot is not there any more */
	int status; /* of waitpid(2) */
};

/*
 * @command is for sh -c. To be called before there are threads, and before much memory is set aside, as it forks. 0 or a
 * negative errno.
 */
int exec_helper__new(const char *command, struct exec_helper **ret) _must_check_ _nonnull_(1, 2);

/*
 * Runs the command for the snapshot @name in the directory @dirfd, which @rule took, and waits for its end: a minute, a day.
 * AUXBPF_SNAPSHOT in its environment is the snapshot's path, that of now, and AUXBPF_RULE is @rule.
 */
void exec_helper__run(struct exec_helper *helper, int dirfd, const char *name, const char *rule,
		      struct exec_result *ret) _nonnull_(1, 3, 4, 5);

/* The process ends once the command that it runs has. */
void exec_helper__free(struct exec_helper *helper);

DEFINE_CLEANUP(exec_helper, struct exec_helper *, exec_helper__free)

#endif
