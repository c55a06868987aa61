// SPDX-License-Identifier: GPL-2.0-only
#include "base/waiter.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "base/log.h"

struct source {
	struct source *next;
	int fd;
	waiter_fn fn;
	void *ctx;
	bool is_timer; /* its descriptor is the waiter's own, and read before the call */
};

struct waiter {
	struct source *sources;
	int epoll_fd;
	int signal_fd;
	sigset_t old_mask;
	bool blocked;
	int signal;
	bool sent;
	bool over; /* the time of waiter__end_after() has passed */
	int other; /* the signal of waiter__on_signal(), 0: none */
	waiter_signal_fn on_other;
	void *other_ctx;
};

int waiter__new(struct waiter **ret)
{
	_cleanup_(cleanup__waiter) struct waiter *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->signal_fd = -1;
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll_fd < 0)
		return -errno;
	*ret = steal_ptr(w);
	return 0;
}

int waiter__add(struct waiter *w, int fd, waiter_fn fn, void *ctx)
{
	_cleanup_free_ struct source *source = calloc(1, sizeof(*source));
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};

	if (!source)
		return -ENOMEM;
	*source = (struct source){.next = w->sources, .fd = fd, .fn = fn, .ctx = ctx};
	if (epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	w->sources = steal_ptr(source);
	return 0;
}

void waiter__remove(struct waiter *w, int fd)
{
	epoll_ctl(w->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

static int take_signal(void *ctx)
{
	struct waiter *w = ctx;
	struct signalfd_siginfo info;

	if (read(w->signal_fd, &info, sizeof(info)) != sizeof(info))
		return errno == EAGAIN ? 0 : -errno;
	if (w->other && info.ssi_signo == (uint32_t)w->other)
		return w->on_other(w->other_ctx, &info);
	w->signal = (int)info.ssi_signo;
	/*
	 * The terminal's own signals come from the kernel and reach the whole process group. But only the
	 * first process of a session is told that its terminal is gone (tty_signal_session_leader()).
	 */
	w->sent = info.ssi_code <= 0 || (w->signal == SIGHUP && getsid(0) == getpid());
	return 1;
}

void waiter__on_signal(struct waiter *w, int signal, waiter_signal_fn fn, void *ctx)
{
	w->other = signal;
	w->on_other = fn;
	w->other_ctx = ctx;
}

bool waiter__has_unheard(const struct waiter *w)
{
	sigset_t pending;

	return w->other && !sigpending(&pending) && sigismember(&pending, w->other) == 1;
}

int waiter__block_signals(struct waiter *w)
{
	struct sigaction hangup;
	sigset_t mask;
	int err = 0;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	/* Under nohup(1) SIGHUP is ignored: the terminal may go. */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&mask, SIGHUP);
	if (w->other)
		sigaddset(&mask, w->other);
	w->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signal_fd < 0 || sigprocmask(SIG_BLOCK, &mask, &w->old_mask))
		err = -errno;
	w->blocked = !err;
	if (!err)
		err = waiter__add(w, w->signal_fd, take_signal, w);
	if (err)
		log_err("cannot wait for signals: %s", strerror(-err));
	return err;
}

void waiter__unblock_signals(struct waiter *w)
{
	sigset_t mask = w->old_mask;

	if (w->other)
		sigaddset(&mask, w->other);
	if (w->blocked)
		sigprocmask(SIG_SETMASK, &mask, NULL);
	w->blocked = false;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
}

static int add_timer(struct waiter *w, uint64_t first, uint64_t interval, waiter_fn fn, void *ctx)
{
	const struct itimerspec when = {.it_value = to_timespec(first), .it_interval = to_timespec(interval)};
	_cleanup_close_ int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	int err;

	if (fd < 0 || timerfd_settime(fd, 0, &when, NULL))
		return -errno;
	err = waiter__add(w, fd, fn, ctx);
	if (err)
		return err;
	w->sources->is_timer = true;
	steal_fd(&fd);
	return 0;
}

int waiter__every(struct waiter *w, uint64_t ns, waiter_fn fn, void *ctx)
{
	return add_timer(w, 1, ns, fn, ctx);
}

static int time_is_over(void *ctx)
{
	struct waiter *w = ctx;

	w->over = true;
	return 1;
}

int waiter__end_after(struct waiter *w, uint64_t ns)
{
	return add_timer(w, ns, 0, time_is_over, w);
}

bool waiter__is_over(const struct waiter *w)
{
	return w->over;
}

int waiter__signal(const struct waiter *w, bool *sent)
{
	*sent = w->sent;
	return w->signal;
}

static int call(struct source *source)
{
	uint64_t expirations;

	if (source->is_timer && read(source->fd, &expirations, sizeof(expirations)) < 0)
		return errno == EAGAIN ? 0 : -errno;
	return source->fn(source->ctx);
}

int waiter__run(struct waiter *w)
{
	struct epoll_event event;
	struct source *source;
	int n, done = 0;

	while (!done) {
		n = epoll_wait(w->epoll_fd, &event, 1, -1);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 1)
			continue;
		source = event.data.ptr;
		if (event.events & EPOLLIN)
			done = call(source);
		else
			waiter__remove(w, source->fd);
	}
	return done < 0 ? done : 0;
}

void waiter__free(struct waiter *w)
{
	struct source *next;

	if (!w)
		return;
	waiter__unblock_signals(w);
	for (struct source *s = w->sources; s; s = next) {
		next = s->next;
		if (s->is_timer)
			cleanup__close(&s->fd);
		free(s);
	}
	cleanup__close(&w->signal_fd);
	cleanup__close(&w->epoll_fd);
	free(w);
}
