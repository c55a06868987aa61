/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads beside the main one.
 */
#ifndef AUXBPF_BASE_THREAD_H
#define AUXBPF_BASE_THREAD_H

#include <pthread.h>

#include "base/cleanup.h"

/*
 * Priorities of real-time threads. They are the lowest that there are, for the threads compete with what they
 * trace.
 */
enum thread_priority {
	THREAD_KEEPS_UP = 1, /* for a thread that empties what fills up slowly */
	THREAD_TAKES,	     /* for a thread during whose work a CPU has no trace */
};

/*
 * Gives a thread real-time priority, which threads that it starts do not inherit. Returns 0 or a negative
 * errno.
 */
int thread__raise(pthread_t thread, enum thread_priority priority) _must_check_;

/*
 * Gives the calling thread, which stays an ordinary one, a large share of a busy CPU (setpriority(2)).
 * Threads and processes that it starts later inherit this. Returns 0 or a negative errno.
 */
int thread__favour(void) _must_check_;

/*
 * Initialises a lock for threads of different priority: a thread that waits for it lends its priority to the
 * one that holds it.
 */
void thread__init_lock(pthread_mutex_t *lock) _nonnull_(1);

/*
 * Starts a thread that takes no signals, since all of them are for the main thread. It has the capabilities
 * that privileges__limit_threads() leaves. Returns 0 or a negative errno.
 */
int thread__start(pthread_t *ret, void *(*run)(void *arg), void *arg) _must_check_ _nonnull_(1, 2);

#endif
