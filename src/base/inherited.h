/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Process attributes that auxbpf changes for itself and that a program which it starts would inherit: signals
 * that are blocked or ignored, the limit of open files, and standard files that were closed. Each such
 * program gets back what auxbpf was started with.
 */
#ifndef AUXBPF_BASE_INHERITED_H
#define AUXBPF_BASE_INHERITED_H

#include <stdint.h>

#include "base/cleanup.h"

/*
 * Opens /dev/null in place of each standard file that is closed: otherwise messages would go into whatever is
 * opened next. Call it once, before anything else.
 */
void inherited__open_standard(void);

/*
 * Call it once, before a recording. It blocks SIGUSR2, whose default is to end a process. It ignores SIGXFSZ
 * and SIGPIPE, so that a write fails instead. It no longer ignores SIGCHLD, nor SIGINT and SIGTERM, which end
 * auxbpf as they end perf. And it raises the limit of open files as far as any user may.
 */
void inherited__change(void);

/*
 * Lets @nr files be open at a time; a privileged process can raise the hard limit for that, too. Warns if the
 * kernel refuses, which is no error: fewer may do.
 */
void inherited__raise_files(uint64_t nr);

/*
 * Returns how many files each of @users may keep open beside those of inherited__raise_files(). It is
 * @wanted, or fewer where the limit cannot be raised, so that what has to be opened always can be.
 */
unsigned int inherited__share_files(unsigned int wanted, unsigned int users);

/* Restores all that auxbpf found. Call it in a child before it executes a program. Async-signal-safe. */
void inherited__restore(void);

#endif
