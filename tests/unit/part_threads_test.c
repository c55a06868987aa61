// SPDX-License-Identifier: GPL-2.0-only
/* Each part is done once a round, all of them before the call returns, and at the same time. */
#include <pthread.h>
#include <stdbool.h>

#include "base/part_threads.h"
#include "check.h"

#define MAX 16

struct work {
	pthread_barrier_t all; /* nobody passes it before all are there */
	unsigned int done[MAX];
	unsigned int nr;
	pthread_t main;
	bool wrong;
};

static void work(void *ctx, unsigned int part, unsigned int nr)
{
	struct work *w = ctx;

	pthread_barrier_wait(&w->all);
	if (part >= w->nr || nr != w->nr || !part != (pthread_equal(pthread_self(), w->main) != 0))
		w->wrong = true;
	else
		w->done[part]++;
}

static void test(unsigned int nr)
{
	struct work w = {.nr = nr, .main = pthread_self()};
	struct part_threads *t;

	if (!CHECK_EQ(part_threads__new(nr, &t), 0))
		return;
	pthread_barrier_init(&w.all, NULL, nr);
	for (unsigned int round = 1; round <= 100; round++) {
		part_threads__run(t, work, &w);
		for (unsigned int i = 0; i < nr; i++)
			CHECK_EQ(w.done[i], round);
	}
	CHECK(!w.wrong);
	part_threads__free(t);
	pthread_barrier_destroy(&w.all);
}

int main(void)
{
	test(1);
	test(2);
	test(MAX);
	part_threads__free(NULL);
	return check__done();
}
