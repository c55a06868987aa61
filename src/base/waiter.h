/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event loop of a capture. It waits for a signal and for the end of the command or of the traced
 * processes, and empties the rings meanwhile.
 */
#ifndef AUXBPF_BASE_WAITER_H
#define AUXBPF_BASE_WAITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/signalfd.h>

#include "base/cleanup.h"

struct waiter;

/*
 * Called when the descriptor is readable. Returns 0 to go on, 1 to end the wait, or a negative errno to end
 * it with that error.
 */
typedef int (*waiter_fn)(void *ctx);

int waiter__new(struct waiter **ret) _must_check_ _nonnull_(1);

/*
 * Adds @fd, which stays the caller's and must be open as long as the waiter. It is dropped when it hangs up.
 */
int waiter__add(struct waiter *w, int fd, waiter_fn fn, void *ctx) _must_check_ _nonnull_(1, 3);

/* Drops a descriptor that was added. */
void waiter__remove(struct waiter *w, int fd) _nonnull_(1);

/*
 * Has @fn called for each @signal; it returns what a waiter_fn returns. Call this before
 * waiter__block_signals(); signals that come before the loop runs are not lost. Only one signal can be set.
 */
typedef int (*waiter_signal_fn)(void *ctx, const struct signalfd_siginfo *info);
void waiter__on_signal(struct waiter *w, int signal, waiter_signal_fn fn, void *ctx) _nonnull_(1, 3);

/* Tells whether the signal of waiter__on_signal() came after the loop had ended, so that nothing takes it. */
bool waiter__has_unheard(const struct waiter *w) _nonnull_(1);

/*
 * Blocks SIGINT, SIGTERM and, unless it is ignored, SIGHUP, and takes them in the loop: the first of them
 * ends the wait. After waiter__unblock_signals() they have their usual effect again, but the signal of
 * waiter__on_signal() stays blocked. An error is logged.
 */
int waiter__block_signals(struct waiter *w) _must_check_ _nonnull_(1);
void waiter__unblock_signals(struct waiter *w) _nonnull_(1);

/*
 * Has @fn called at once and then every @ns nanoseconds; it returns what every waiter_fn returns. Returns 0
 * or a negative errno.
 */
int waiter__every(struct waiter *w, uint64_t ns, waiter_fn fn, void *ctx) _must_check_ _nonnull_(1, 3);

/*
 * Ends the wait when @ns nanoseconds have passed, which waiter__is_over() then tells. Returns 0 or a negative
 * errno.
 */
int waiter__end_after(struct waiter *w, uint64_t ns) _must_check_ _nonnull_(1);
bool waiter__is_over(const struct waiter *w) _nonnull_(1);

/*
 * Returns the signal that ended the wait, 0 if none. @sent is set if auxbpf alone got it, from another
 * process or because its terminal is gone; other signals of a terminal go to all processes there.
 */
int waiter__signal(const struct waiter *w, bool *sent) _nonnull_(1, 2);

/* Runs until a callback or a signal ends the wait. Returns 0 or a negative errno. */
int waiter__run(struct waiter *w) _must_check_ _nonnull_(1);

void waiter__free(struct waiter *w);

DEFINE_CLEANUP(waiter, struct waiter *, waiter__free)

#endif
