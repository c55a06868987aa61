/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is run after each snapshot, as tcpdump -z does it: one command after another, in a thread of its own,
 * so that it holds up neither the recorder nor the writer.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_EXEC_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_EXEC_H

#include "base/cleanup.h"

struct snapshot_exec;

/*
 * @command is for sh -c and must live as long. To be called with all the rights that it shall have, and early: it forks
 * (exec_helper.h). Logs; 0 or a negative errno.
 */
int snapshot_exec__new(const char *command, struct snapshot_exec **ret) _must_check_ _nonnull_(1, 2);

/*
 * Has the command run for the snapshot @name in the directory @dirfd (AUXBPF_SNAPSHOT in its environment is its
 * path, that of then), which @rule took (AUXBPF_RULE). One that fails is said once. If SNAPSHOT_EXEC_MAX are waiting
 * already it is skipped; so it is if the snapshot is no longer there when its turn comes.
 */
#define SNAPSHOT_EXEC_MAX 64
void snapshot_exec__run(struct snapshot_exec *exec, int dirfd, const char *name, const char *rule)
	_nonnull_(1, 3, 4);

/* How many were. */
unsigned int snapshot_exec__skipped(struct snapshot_exec *exec) _nonnull_(1);

/* Waits for all of them, and says so if there is something to wait for, and how many were skipped, and why. */
void snapshot_exec__free(struct snapshot_exec *exec);

DEFINE_CLEANUP(snapshot_exec, struct snapshot_exec *, snapshot_exec__free)

#endif
