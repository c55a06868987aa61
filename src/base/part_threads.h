/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work that is done in parts at the same time, again and again, by threads that wait for it.
 */
#ifndef AUXBPF_BASE_PART_THREADS_H
#define AUXBPF_BASE_PART_THREADS_H

#include "base/cleanup.h"
#include "base/thread.h"

struct part_threads;

/* For @nr parts, of which the caller does the first: of one there is no thread. 0 or a negative errno. */
int part_threads__new(unsigned int nr, struct part_threads **ret) _must_check_ _nonnull_(2);
void part_threads__free(struct part_threads *t);

DEFINE_CLEANUP(part_threads, struct part_threads *, part_threads__free)

/* thread__raise() for each of them. 0 or a negative errno. */
int part_threads__raise(const struct part_threads *t, enum thread_priority priority) _must_check_
	_nonnull_(1);

/* Has @fn called once for each of the @nr parts, and returns when all of them are done. */
typedef void (*part_fn)(void *ctx, unsigned int part, unsigned int nr);
void part_threads__run(struct part_threads *t, part_fn fn, void *ctx) _nonnull_(1, 2);

#endif
