/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that only takes snapshots: the CPUs of a trigger are without trace until they are stopped and
 * copied, so nothing else, like emptying a ring or reading a list of tasks, may come first. It has real-time
 * priority if that is permitted.
 */
#ifndef AUXBPF_SNAPSHOT_TAKE_THREAD_H
#define AUXBPF_SNAPSHOT_TAKE_THREAD_H

#include <stdint.h>

#include "base/cleanup.h"

struct take_thread;

/* The callbacks, all called by the thread alone, one after another. */
struct take_thread_opts {
	int fd; /* polls readable from when a trigger fires until @fired is called */
	void (*fired)(void *ctx);
	void (*asked)(void *ctx, uint32_t pid, uint32_t uid); /* this process of this user asks for one */
	void (*last)(void *ctx); /* the recording ends: does the work that is left */
	void *ctx;
};

/* Starts the thread. 0 or a negative errno. */
int take_thread__new(const struct take_thread_opts *opts, struct take_thread **ret) _must_check_
	_nonnull_(1, 2);

/* Has @asked called. 0 or a negative errno. */
int take_thread__ask(const struct take_thread *t, uint32_t pid, uint32_t uid) _must_check_ _nonnull_(1);

/* Has @last called, after all that was asked for, and waits for the thread's end. */
void take_thread__end(struct take_thread *t) _nonnull_(1);

/* Ends the thread; unless take_thread__end() was called before, @last is not called. */
void take_thread__free(struct take_thread *t);

DEFINE_CLEANUP(take_thread, struct take_thread *, take_thread__free)

#endif
