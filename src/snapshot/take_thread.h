/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The thread that takes snapshots, and does nothing else: until a trigger's CPUs are stopped and copied they
 * are without trace, so no ring that is emptied and no list of tasks that is read may come first. It has
 * real-time priority where that is permitted.
 */
#ifndef AUXBPF_SNAPSHOT_TAKE_THREAD_H
#define AUXBPF_SNAPSHOT_TAKE_THREAD_H

#include <stdint.h>

#include "base/cleanup.h"

struct take_thread;

/* All of these are called by the thread alone, one after another. */
struct take_thread_opts {
	int fd; /* polls readable when a trigger has fired, until @fired was called */
	void (*fired)(void *ctx);
	void (*asked)(void *ctx, uint32_t pid, uint32_t uid); /* the process of that user asks for one */
	void (*last)(void *ctx); /* the recording ends: what is still to be done */
	void *ctx;
};

/* Starts it. 0 or a negative errno. */
int take_thread__new(const struct take_thread_opts *opts, struct take_thread **ret) _must_check_
	_nonnull_(1, 2);

/* Has @asked called. 0 or a negative errno. */
int take_thread__ask(const struct take_thread *t, uint32_t pid, uint32_t uid) _must_check_ _nonnull_(1);

/* Has @last called, behind all that was asked for, and waits for the thread's end. */
void take_thread__end(struct take_thread *t) _nonnull_(1);

/* Without take_thread__end() nothing more is called. */
void take_thread__free(struct take_thread *t);

DEFINE_CLEANUP(take_thread, struct take_thread *, take_thread__free)

#endif
