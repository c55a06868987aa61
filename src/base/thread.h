/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads beside the main one.
 */
#ifndef AUXBPF_BASE_THREAD_H
#define AUXBPF_BASE_THREAD_H

#include <pthread.h>

#include "base/cleanup.h"

/*
 * Gives a thread the lowest real-time priority, for it competes with what it traces; not those that it
 * starts. 0 or a negative errno.
 */
int thread__raise(pthread_t thread) _must_check_;

/* Starts a thread that takes no signals: all of them are for the main thread. 0 or a negative errno. */
int thread__start(pthread_t *ret, void *(*run)(void *arg), void *arg) _must_check_ _nonnull_(1, 2);

#endif
