// SPDX-License-Identifier: GPL-2.0-only
#include "session/take_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"

/* What the thread is told, in the order in which it is. */
struct message {
	enum {
		MESSAGE_ASK,
		MESSAGE_END,  /* with what is still to be done */
		MESSAGE_STOP, /* at once */
	} kind;
	uint32_t pid, uid; /* who asks */
};

struct take_thread {
	struct take_thread_opts opts;
	int pipe[2];
	pthread_t thread;
	bool runs;
};

/* A message is shorter than PIPE_BUF, so it is there as a whole. True if it is the last one. */
static bool take_message(struct take_thread *t)
{
	struct message m;

	if (read(t->pipe[0], &m, sizeof(m)) != sizeof(m))
		return false;
	if (m.kind == MESSAGE_ASK)
		t->opts.asked(t->opts.ctx, m.pid, m.uid);
	if (m.kind == MESSAGE_END)
		t->opts.last(t->opts.ctx);
	return m.kind != MESSAGE_ASK;
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
		if (fds[1].revents && take_message(t))
			return NULL;
	}
}

static int tell(const struct take_thread *t, const struct message *m)
{
	return write(t->pipe[1], m, sizeof(*m)) == sizeof(*m) ? 0 : -errno;
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
	return tell(t, &(struct message){MESSAGE_ASK, pid, uid});
}

static void end(struct take_thread *t, const struct message *m)
{
	if (t->runs && !tell(t, m))
		pthread_join(t->thread, NULL);
	t->runs = false;
}

void take_thread__end(struct take_thread *t)
{
	end(t, &(struct message){.kind = MESSAGE_END});
}

void take_thread__free(struct take_thread *t)
{
	if (!t)
		return;
	end(t, &(struct message){.kind = MESSAGE_STOP});
	cleanup__close(&t->pipe[0]);
	cleanup__close(&t->pipe[1]);
	free(t);
}
