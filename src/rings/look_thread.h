/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The thread that looks which tasks there are, and does nothing else: where there are very many, or other programs
 * want the CPU, that takes seconds, in which the rings must be emptied. It is an ordinary thread.
 */
#ifndef AUXBPF_RINGS_LOOK_THREAD_H
#define AUXBPF_RINGS_LOOK_THREAD_H

#include "base/cleanup.h"

struct look_thread;

/* Starts it. @look is called by the thread alone, whenever that was asked for. 0 or a negative errno. */
int look_thread__new(void (*look)(void *ctx), void *ctx, struct look_thread **ret) _must_check_
	_nonnull_(1, 3);

/* Has @look called; once more if it is under way. By any thread. */
void look_thread__ask(struct look_thread *t) _nonnull_(1);

/* Waits until a look that is under way has ended. */
void look_thread__free(struct look_thread *t);

DEFINE_CLEANUP(look_thread, struct look_thread *, look_thread__free)

#endif
