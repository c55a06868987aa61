/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a command after each snapshot, as tcpdump -z does: one run after another, in a thread of its own, so
 * that it holds up neither the recorder nor the writer.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_EXEC_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_EXEC_H

#include "base/cleanup.h"

struct snapshot_exec;

/*
 * Starts the thread; @command is for sh -c and must live as long. To be called early, as it forks
 * (exec_helper.h), and while auxbpf has all the rights that the command shall have. Logs; 0 or a negative
 * errno.
 */
int snapshot_exec__new(const char *command, struct snapshot_exec **ret) _must_check_ _nonnull_(1, 2);

/*
 * Has the command run for the snapshot @name in the directory @dirfd, which @rule took. In its environment
 * AUXBPF_SNAPSHOT is the path at that time, and AUXBPF_RULE is @rule. The first run that fails is logged. A
 * run is skipped if SNAPSHOT_EXEC_MAX are waiting already, or if the snapshot is gone when its turn comes.
 */
#define SNAPSHOT_EXEC_MAX 64
void snapshot_exec__run(struct snapshot_exec *exec, int dirfd, const char *name, const char *rule)
	_nonnull_(1, 3, 4);

/* Returns how many runs were skipped because too many were waiting. */
unsigned int snapshot_exec__skipped(struct snapshot_exec *exec) _nonnull_(1);

/* Waits for all runs, and logs if there are any to wait for, how many were skipped, and why. */
void snapshot_exec__free(struct snapshot_exec *exec);

DEFINE_CLEANUP(snapshot_exec, struct snapshot_exec *, snapshot_exec__free)

#endif
