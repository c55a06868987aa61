/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits what this process may do once all is opened and attached, since it then reads names, files and
 * memory of strangers. It keeps a few capabilities, gets no new ones by an exec, and can make the system
 * calls of syscall_filter.h only. The man page has the table of capabilities.
 */
#ifndef AUXBPF_BASE_PRIVILEGES_H
#define AUXBPF_BASE_PRIVILEGES_H

#include <stdbool.h>

#include "base/cleanup.h"

/* The kinds of processes that are limited. */
enum privileges {
	PRIVILEGES_RECORDER, /* auxbpf itself, while it records and writes */
	PRIVILEGES_FILES,    /* a process that opens and copies files of strangers */
	PRIVILEGES_GUARD,    /* a process that restores a setting after auxbpf was killed */
	PRIVILEGES_NONE,     /* a process that has all open that it needs, and makes out what is in it */
};

/*
 * Makes each thread that is started from here on begin with the capabilities of PRIVILEGES_RECORDER only.
 * With @foreign_dir they include the one to create files in directories of other users.
 */
void privileges__limit_threads(bool foreign_dir);

/* Called by thread__start() in the new thread. */
void privileges__limit_new_thread(void);

/*
 * Limits the calling thread to the capabilities of @of. All threads of the process lose the other system
 * calls (seccomp(2)) and get no_new_privs, without a way back. A kernel without seccomp is logged. Returns 0
 * or a negative errno.
 */
int privileges__limit(enum privileges of) _must_check_;

#endif
