/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes that this one makes for work of its own. Each tells of itself when it begins and ends, in memory that
 * all of them share: by a number alone nobody could tell one that has ended from a stranger who has its number now.
 */
#ifndef AUXBPF_BASE_OWN_PROCESSES_H
#define AUXBPF_BASE_OWN_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* How many processes are kept. Where there are more, those that ended first are forgotten. */
#define OWN_PROCESSES_MAX 128

struct own_process {
	uint32_t pid;
	uint64_t begin, end; /* CLOCK_MONOTONIC, ns; UINT64_MAX: it goes on */
};

/* To be called once, by the first of them, before it makes others. 0 or -ENOMEM; then none is known but this one. */
int own_processes__prepare(void);

/* In a new process: it is one of them since @since, a time of before its fork. */
void own_processes__enter(uint64_t since);

/* In a process that has entered, as the last that it does. */
void own_processes__leave(void);

/* The first one and all others that are known; how many. By any thread. */
size_t own_processes__list(struct own_process ret[OWN_PROCESSES_MAX + 1]) _nonnull_(1);

#endif
