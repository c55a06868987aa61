// SPDX-License-Identifier: GPL-2.0-only
#include "rings/look_thread.h"

#include <errno.h>
#include <stdbool.h>

#include "base/thread.h"

struct look_thread {
	void (*look)(void *ctx);
	void *ctx;
	pthread_t thread;
	bool runs;
	pthread_mutex_t lock; /* for the fields below */
	pthread_cond_t work;
	bool asked, ends;
};

/* Returns false when the thread is to end. */
static bool wait_until_asked(struct look_thread *t)
{
	bool ends;

	pthread_mutex_lock(&t->lock);
	while (!t->asked && !t->ends)
		pthread_cond_wait(&t->work, &t->lock);
	t->asked = false;
	ends = t->ends;
	pthread_mutex_unlock(&t->lock);
	return !ends;
}

static void *run(void *arg)
{
	struct look_thread *t = arg;

	while (wait_until_asked(t))
		t->look(t->ctx);
	return NULL;
}

int look_thread__new(void (*look)(void *ctx), void *ctx, struct look_thread **ret)
{
	_cleanup_(cleanup__look_thread) struct look_thread *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->look = look;
	t->ctx = ctx;
	thread__init_lock(&t->lock);
	pthread_cond_init(&t->work, NULL);
	err = thread__start(&t->thread, run, t);
	t->runs = !err;
	if (!err)
		*ret = steal_ptr(t);
	return err;
}

void look_thread__ask(struct look_thread *t)
{
	pthread_mutex_lock(&t->lock);
	t->asked = true;
	pthread_cond_signal(&t->work);
	pthread_mutex_unlock(&t->lock);
}

void look_thread__free(struct look_thread *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->ends = true;
	pthread_cond_signal(&t->work);
	pthread_mutex_unlock(&t->lock);
	if (t->runs)
		pthread_join(t->thread, NULL);
	pthread_cond_destroy(&t->work);
	pthread_mutex_destroy(&t->lock);
	free(t);
}
