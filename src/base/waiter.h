/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event loop of a capture: waits for the end of the command or of the traced processes, for a
 * signal, and empties the rings meanwhile.
 */
#ifndef AUXBPF_BASE_WAITER_H
#define AUXBPF_BASE_WAITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/signalfd.h>

#include "base/cleanup.h"

struct waiter;

/* Called when the descriptor polls readable. 0 goes on, 1 ends the wait, a negative errno ends it with that.
 */
typedef int (*waiter_fn)(void *ctx);

int waiter__new(struct waiter **ret) _must_check_ _nonnull_(1);

/* @fd stays the caller's and open as long as the waiter; one that hangs up is dropped. */
int waiter__add(struct waiter *w, int fd, waiter_fn fn, void *ctx) _must_check_ _nonnull_(1, 3);

/* Drops a descriptor that was added. */
void waiter__remove(struct waiter *w, int fd) _nonnull_(1);

/*
 * Has @fn called for each @signal; what it returns is as with waiter_fn. To be called before
 * waiter__block_signals(); those that come between the two and the loop are not lost. One signal only.
 */
typedef int (*waiter_signal_fn)(void *ctx, const struct signalfd_siginfo *info);
void waiter__on_signal(struct waiter *w, int signal, waiter_signal_fn fn, void *ctx) _nonnull_(1, 3);

/* Whether the signal of waiter__on_signal() came and the loop, which has ended, will not take it. */
bool waiter__has_unheard(const struct waiter *w) _nonnull_(1);

/*
 * Blocks SIGINT, SIGTERM and, unless it is ignored, SIGHUP, and takes them in the loop: the first of them ends the
 * wait. After waiter__unblock_signals() they have their usual effect again; that of waiter__on_signal() stays
 * blocked. An error is logged.
 */
int waiter__block_signals(struct waiter *w) _must_check_ _nonnull_(1);
void waiter__unblock_signals(struct waiter *w) _nonnull_(1);

/* Has @fn called at once and then every @ns nanoseconds; what it returns is as ever. 0 or a negative errno.
 */
int waiter__every(struct waiter *w, uint64_t ns, waiter_fn fn, void *ctx) _must_check_ _nonnull_(1, 3);

/* Ends the wait when @ns nanoseconds have passed; waiter__is_over() tells. 0 or a negative errno. */
int waiter__end_after(struct waiter *w, uint64_t ns) _must_check_ _nonnull_(1);
bool waiter__is_over(const struct waiter *w) _nonnull_(1);

/* The signal that ended the wait, 0 if none; @sent says that auxbpf alone got it, from
 * another process or because its terminal is gone: a terminal's other signals are for all processes there.
 */
int waiter__signal(const struct waiter *w, bool *sent) _nonnull_(1, 2);

/* Runs until a callback or a signal ends it. 0 or a negative errno. */
int waiter__run(struct waiter *w) _must_check_ _nonnull_(1);

void waiter__free(struct waiter *w);

DEFINE_CLEANUP(waiter, struct waiter *, waiter__free)

#endif
