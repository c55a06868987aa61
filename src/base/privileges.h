/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this process may do once all is opened and attached: a few capabilities, no new ones by an exec, and the system calls
 * of syscall_filter.h. Strangers' names, files and memory are read from then on. The man page has the table of capabilities.
 */
#ifndef AUXBPF_BASE_PRIVILEGES_H
#define AUXBPF_BASE_PRIVILEGES_H

#include <stdbool.h>

#include "base/cleanup.h"

/* Whose they are. */
enum privileges {
	PRIVILEGES_RECORDER, /* of auxbpf itself, while it records and writes */
	PRIVILEGES_FILES,    /* of who opens and copies files of strangers */
	PRIVILEGES_GUARD,    /* of who puts a setting back after auxbpf was killed */
};

/*
 * Threads that are started from here on give up, as the first that they do, what PRIVILEGES_RECORDER does not have. With
 * @foreign_dir names are made in directories of other users.
 */
void privileges__limit_threads(bool foreign_dir);

/* By thread__start(), in the new thread. */
void privileges__limit_new_thread(void);

/*
 * The calling thread gives up the rest, and for all threads of the process there is no way back: no_new_privs, and the
 * system calls that are left (seccomp(2)). Where the kernel has no seccomp that is logged. 0 or a negative errno.
 */
int privileges__limit(enum privileges of) _must_check_;

#endif
