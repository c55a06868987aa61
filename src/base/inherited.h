/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Process attributes that auxbpf changes for itself and that a program which it starts would inherit: signals that
 * are blocked or ignored, the limit of open files, standard files that were closed. Each such program gets back
 * what auxbpf was started with.
 */
#ifndef AUXBPF_BASE_INHERITED_H
#define AUXBPF_BASE_INHERITED_H

#include <stdint.h>

#include "base/cleanup.h"

/*
 * To be called first of all, once: opens /dev/null in place of standard files that are closed, since messages
 * would go into whatever is opened next.
 */
void inherited__open_standard(void);

/*
 * To be called once, before a recording: blocks SIGUSR2, whose default is to end a process; ignores SIGXFSZ and
 * SIGPIPE, which are errors of a write then; no longer ignores SIGCHLD, and SIGINT and SIGTERM, which end it, as
 * perf does; and raises the limit of open files as far as anybody may.
 */
void inherited__change(void);

/*
 * Sees to it that @nr files can be open, for which a privileged process can raise the hard limit, too. Warns if
 * that is refused: what needs them may still be less.
 */
void inherited__raise_files(uint64_t nr);

/*
 * How many files each of @users may keep open beside those of inherited__raise_files(), of the @wanted that it would
 * like to: fewer where the limit cannot be raised, so that what has to be opened always can be.
 */
unsigned int inherited__share_files(unsigned int wanted, unsigned int users);

/* In a child, before it executes a program: all is as auxbpf found it. Async-signal-safe. */
void inherited__restore(void);

#endif
