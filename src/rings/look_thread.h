/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that only looks which tasks there are: with very many of them, or when other programs want the
 * CPU, that takes seconds, in which the rings must be emptied. It has no special priority.
 */
#ifndef AUXBPF_RINGS_LOOK_THREAD_H
#define AUXBPF_RINGS_LOOK_THREAD_H

#include "base/cleanup.h"

struct look_thread;

/* Starts the thread. It alone calls @look, after each look_thread__ask(). 0 or a negative errno. */
int look_thread__new(void (*look)(void *ctx), void *ctx, struct look_thread **ret) _must_check_
	_nonnull_(1, 3);

/* Has @look called, once more if a call is under way. May be called by any thread. */
void look_thread__ask(struct look_thread *t) _nonnull_(1);

/* Ends the thread, once a look that is under way has ended. */
void look_thread__free(struct look_thread *t);

DEFINE_CLEANUP(look_thread, struct look_thread *, look_thread__free)

#endif
