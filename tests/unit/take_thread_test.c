// SPDX-License-Identifier: GPL-2.0-only
/* What the thread is told comes in order, by the thread alone, and the last of it is done before it ends. */
#include <pthread.h>
#include <stdbool.h>
#include <sys/eventfd.h>

#include "check.h"
#include "snapshot/take_thread.h"

struct seen {
	int fd;
	pthread_t main;
	unsigned int nr_fired, nr_asked, nr_last;
	unsigned int nr_wrong; /* calls by the wrong thread, or too late */
	uint64_t sum;
};

static void see(struct seen *s)
{
	s->nr_wrong += pthread_equal(pthread_self(), s->main) != 0;
}

static void fired(void *ctx)
{
	struct seen *s = ctx;
	eventfd_t n = 0;

	see(s);
	s->nr_wrong += eventfd_read(s->fd, &n) != 0;
	s->nr_fired += (unsigned int)n;
}

static void asked(void *ctx, uint32_t pid, uint32_t uid)
{
	struct seen *s = ctx;

	see(s);
	s->nr_wrong += s->nr_last;
	s->nr_asked++;
	s->sum += pid * 1000 + uid;
}

static void last(void *ctx)
{
	struct seen *s = ctx;

	see(s);
	s->nr_last++;
}

static void run(bool end)
{
	struct seen s = {.fd = eventfd(0, 0), .main = pthread_self()};
	const struct take_thread_opts opts = {s.fd, fired, asked, last, &s};
	struct take_thread *t;

	if (!CHECK_EQ(take_thread__new(&opts, &t), 0))
		return;
	CHECK_EQ(eventfd_write(s.fd, 3), 0);
	for (uint32_t i = 1; i <= 100; i++)
		CHECK_EQ(take_thread__ask(t, i, 7), 0);
	if (end)
		take_thread__end(t);
	take_thread__free(t);
	CHECK_EQ(s.nr_last, end);
	CHECK_EQ(s.nr_asked, 100);
	CHECK_EQ(s.sum, 5050 * 1000 + 700);
	CHECK_EQ(s.nr_fired, 3);
	CHECK_EQ(s.nr_wrong, 0);
	close(s.fd);
}

int main(void)
{
	run(true);
	run(false);
	take_thread__free(NULL);
	return check__done();
}
