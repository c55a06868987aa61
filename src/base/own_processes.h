/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes that auxbpf forks for work of its own. Each notes in shared memory when it begins and when it
 * ends: a pid alone would not tell one that has ended from a stranger who has that pid now.
 */
#ifndef AUXBPF_BASE_OWN_PROCESSES_H
#define AUXBPF_BASE_OWN_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* How many processes are remembered. If there are more, those that ended first are forgotten. */
#define OWN_PROCESSES_MAX 128

struct own_process {
	uint32_t pid;
	uint64_t begin, end; /* CLOCK_MONOTONIC, ns; UINT64_MAX: it has not ended */
};

/*
 * Call it once, in the first process, before it forks others. Returns 0 or a negative errno; after an error
 * each process knows of itself only.
 */
int own_processes__prepare(void);

/* Notes that a new process has begun; call it there. @since is a time before its fork. */
void own_processes__enter(uint64_t since);

/* Notes that a process has ended. Call it there as the last thing that it does. */
void own_processes__leave(void);

/*
 * Lists the calling process and all that are noted, and returns how many these are. Any thread may call it.
 */
size_t own_processes__list(struct own_process ret[OWN_PROCESSES_MAX + 1]) _nonnull_(1);

#endif
