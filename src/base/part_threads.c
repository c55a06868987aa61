// SPDX-License-Identifier: GPL-2.0-only
#include "base/part_threads.h"

#include <errno.h>
#include <stdbool.h>

#include "base/thread.h"

struct part_thread {
	struct part_threads *all;
	unsigned int part;
	pthread_t thread;
};

struct part_threads {
	pthread_mutex_t lock; /* protects the members up to `ends` */
	pthread_cond_t work, done;
	part_fn fn;
	void *ctx;
	unsigned long round; /* counts the calls of part_threads__run() */
	unsigned int left;   /* parts of this round that are not done, without the caller's */
	bool ends;
	unsigned int nr; /* parts */
	unsigned int nr_threads;
	struct part_thread threads[];
};

/* Waits for the next round, and returns false if there is none because the threads shall end. */
static bool wait_for_work(struct part_threads *t, unsigned long *round)
{
	bool ends;

	pthread_mutex_lock(&t->lock);
	while (t->round == *round && !t->ends)
		pthread_cond_wait(&t->work, &t->lock);
	*round = t->round;
	ends = t->ends;
	pthread_mutex_unlock(&t->lock);
	return !ends;
}

static void *run(void *arg)
{
	struct part_thread *thread = arg;
	struct part_threads *t = thread->all;
	unsigned long round = 0;

	while (wait_for_work(t, &round)) {
		t->fn(t->ctx, thread->part, t->nr);
		pthread_mutex_lock(&t->lock);
		if (!--t->left)
			pthread_cond_signal(&t->done);
		pthread_mutex_unlock(&t->lock);
	}
	return NULL;
}

int part_threads__new(unsigned int nr, struct part_threads **ret)
{
	_cleanup_(cleanup__part_threads) struct part_threads *t =
		calloc(1, sizeof(*t) + (nr - 1) * sizeof(t->threads[0]));

	if (!t)
		return -ENOMEM;
	thread__init_lock(&t->lock);
	pthread_cond_init(&t->work, NULL);
	pthread_cond_init(&t->done, NULL);
	t->nr = nr;
	while (t->nr_threads < nr - 1) {
		struct part_thread *thread = &t->threads[t->nr_threads];
		int err;

		*thread = (struct part_thread){.all = t, .part = t->nr_threads + 1};
		err = thread__start(&thread->thread, run, thread);
		if (err)
			return err;
		t->nr_threads++;
	}
	*ret = steal_ptr(t);
	return 0;
}

int part_threads__raise(const struct part_threads *t, enum thread_priority priority)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < t->nr_threads; i++)
		err = thread__raise(t->threads[i].thread, priority);
	return err;
}

void part_threads__run(struct part_threads *t, part_fn fn, void *ctx)
{
	pthread_mutex_lock(&t->lock);
	t->fn = fn;
	t->ctx = ctx;
	t->left = t->nr_threads;
	t->round++;
	pthread_cond_broadcast(&t->work);
	pthread_mutex_unlock(&t->lock);
	fn(ctx, 0, t->nr);
	pthread_mutex_lock(&t->lock);
	while (t->left)
		pthread_cond_wait(&t->done, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

void part_threads__free(struct part_threads *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->ends = true;
	pthread_cond_broadcast(&t->work);
	pthread_mutex_unlock(&t->lock);
	for (unsigned int i = 0; i < t->nr_threads; i++)
		pthread_join(t->threads[i].thread, NULL);
	pthread_cond_destroy(&t->work);
	pthread_cond_destroy(&t->done);
	pthread_mutex_destroy(&t->lock);
	free(t);
}
