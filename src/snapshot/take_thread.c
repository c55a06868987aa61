// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/take_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"

/*
 * A request in the pipe: who asks for a snapshot. The thread is told to end by closing the pipe, which cannot
 * fail.
 */
struct message {
	uint32_t pid, uid;
};

struct take_thread {
	struct take_thread_opts opts;
	int pipe[2];
	pthread_t thread;
	bool runs;
	bool finishes; /* it ends after the last work, not at once; set before the pipe is closed */
};

/* Reads a request, as a whole because it is shorter than PIPE_BUF. Returns false at the end. */
static bool take_message(struct take_thread *t)
{
	struct message m;
	ssize_t n = read(t->pipe[0], &m, sizeof(m));

	if (n == sizeof(m))
		t->opts.asked(t->opts.ctx, m.pid, m.uid);
	if (!n && __atomic_load_n(&t->finishes, __ATOMIC_ACQUIRE))
		t->opts.last(t->opts.ctx);
	return n;
}

static void *run(void *arg)
{
	struct take_thread *t = arg;
	struct pollfd fds[] = {{.fd = t->opts.fd, .events = POLLIN}, {.fd = t->pipe[0], .events = POLLIN}};

	for (;;) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0) {
			if (errno == EINTR)
				continue;
			log_err("no snapshot is taken any more: cannot wait for triggers: %s",
				strerror(errno));
			return NULL;
		}
		if (fds[0].revents)
			t->opts.fired(t->opts.ctx);
		if (fds[1].revents && !take_message(t))
			return NULL;
	}
}

int take_thread__new(const struct take_thread_opts *opts, struct take_thread **ret)
{
	_cleanup_(cleanup__take_thread) struct take_thread *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->opts = *opts;
	t->pipe[0] = t->pipe[1] = -1;
	if (pipe2(t->pipe, O_CLOEXEC))
		return -errno;
	err = thread__start(&t->thread, run, t);
	if (err) {
		log_err("cannot start the thread that takes snapshots: %s", strerror(-err));
		return err;
	}
	t->runs = true;
	if (thread__raise(t->thread, THREAD_TAKES))
		log_debug("no real-time priority for the thread that takes snapshots");
	*ret = steal_ptr(t);
	return 0;
}

int take_thread__ask(const struct take_thread *t, uint32_t pid, uint32_t uid)
{
	const struct message m = {pid, uid};

	return write(t->pipe[1], &m, sizeof(m)) == sizeof(m) ? 0 : -errno;
}

static void end(struct take_thread *t, bool finishes)
{
	__atomic_store_n(&t->finishes, finishes, __ATOMIC_RELEASE);
	close(steal_fd(&t->pipe[1]));
	pthread_join(t->thread, NULL);
	t->runs = false;
}

void take_thread__end(struct take_thread *t)
{
	end(t, true);
}

void take_thread__free(struct take_thread *t)
{
	if (!t)
		return;
	if (t->runs)
		end(t, false);
	cleanup__close(&t->pipe[0]);
	cleanup__close(&t->pipe[1]);
	free(t);
}
