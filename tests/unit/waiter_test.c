// SPDX-License-Identifier: GPL-2.0-only
/* The event loop and its signals: those that end it, and the one that does not. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/waiter.h"
#include "check.h"

struct seen {
	unsigned int nr;
	uint32_t pid;
};

static int count(void *ctx, const struct signalfd_siginfo *info)
{
	struct seen *seen = ctx;

	seen->nr++;
	seen->pid = info->ssi_pid;
	return 0;
}

static struct waiter *new_waiter(struct seen *seen)
{
	struct waiter *w;

	CHECK_EQ(waiter__new(&w), 0);
	waiter__on_signal(w, SIGUSR2, count, seen);
	CHECK_EQ(waiter__block_signals(w), 0);
	return w;
}

static bool is_blocked(int signal)
{
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, signal);
}

/* Whichever of the two the loop takes first, it goes on after the one and ends with the other. */
static void test_other_goes_on(void)
{
	struct seen seen = {0};
	struct waiter *w = new_waiter(&seen);
	bool sent;

	kill(getpid(), SIGUSR2);
	kill(getpid(), SIGTERM);
	CHECK_EQ(waiter__run(w), 0);
	CHECK_EQ(waiter__signal(w, &sent), SIGTERM);
	CHECK(sent);
	CHECK_EQ(seen.nr, 1);
	CHECK_EQ(seen.pid, getpid());
	waiter__free(w);
}

/* What comes while auxbpf ends must not end it at once. */
static void test_other_stays_blocked(void)
{
	struct seen seen = {0};
	struct waiter *w = new_waiter(&seen);

	CHECK(is_blocked(SIGINT));
	waiter__unblock_signals(w);
	CHECK(!is_blocked(SIGINT));
	CHECK(is_blocked(SIGUSR2));
	waiter__free(w);
}

/* What comes behind the loop is told, and takes no effect. */
static void test_unheard(void)
{
	struct seen seen = {0};
	struct waiter *w = new_waiter(&seen);

	kill(getpid(), SIGTERM);
	CHECK_EQ(waiter__run(w), 0);
	CHECK(!waiter__has_unheard(w));
	kill(getpid(), SIGUSR2);
	CHECK(waiter__has_unheard(w));
	CHECK_EQ(seen.nr, 0);
	waiter__free(w);
}

static int never(void *ctx)
{
	*(unsigned int *)ctx += 1;
	return -EIO;
}

/* A descriptor from which nothing comes any more, as of an event whose CPU went offline, is left alone. */
static void test_hung_up(void)
{
	unsigned int calls = 0;
	struct waiter *w;
	int fds[2];

	CHECK_EQ(pipe(fds), 0);
	CHECK_EQ(close(fds[1]), 0);
	CHECK_EQ(waiter__new(&w), 0);
	CHECK_EQ(waiter__add(w, fds[0], never, &calls), 0);
	CHECK_EQ(waiter__end_after(w, 20000000), 0);
	CHECK(!waiter__is_over(w));
	CHECK_EQ(waiter__run(w), 0);
	CHECK(waiter__is_over(w));
	CHECK_EQ(calls, 0);
	waiter__free(w);
	close(fds[0]);
}

static int third_call_ends(void *ctx)
{
	int *calls = ctx;

	return ++*calls == 3;
}

static void test_every(void)
{
	struct waiter *w = NULL;
	int calls = 0;

	CHECK_EQ(waiter__new(&w), 0);
	CHECK_EQ(waiter__every(w, 1000000, third_call_ends, &calls), 0);
	CHECK_EQ(waiter__run(w), 0);
	CHECK_EQ(calls, 3);
	waiter__free(w);
}

int main(void)
{
	test_every();
	test_hung_up();
	test_other_goes_on();
	test_other_stays_blocked();
	test_unheard();
	return check__done();
}
