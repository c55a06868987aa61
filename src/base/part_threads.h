/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that do a piece of work in parts at the same time, again and again. */
#ifndef AUXBPF_BASE_PART_THREADS_H
#define AUXBPF_BASE_PART_THREADS_H

#include "base/cleanup.h"
#include "base/thread.h"

struct part_threads;

/*
 * Starts the threads for @nr parts. The caller does the first part, so there is no thread for it. Returns 0
 * or a negative errno.
 */
int part_threads__new(unsigned int nr, struct part_threads **ret) _must_check_ _nonnull_(2);
void part_threads__free(struct part_threads *t);

DEFINE_CLEANUP(part_threads, struct part_threads *, part_threads__free)

/* Calls thread__raise() for each thread. Returns 0 or a negative errno. */
int part_threads__raise(const struct part_threads *t, enum thread_priority priority) _must_check_
	_nonnull_(1);

/* Has @fn called once for each part, and returns when all of these calls are done. */
typedef void (*part_fn)(void *ctx, unsigned int part, unsigned int nr);
void part_threads__run(struct part_threads *t, part_fn fn, void *ctx) _nonnull_(1, 2);

#endif
