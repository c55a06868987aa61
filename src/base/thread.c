// SPDX-License-Identifier: GPL-2.0-only
#include "base/thread.h"

#include <sched.h>
#include <signal.h>

int thread__start(pthread_t *ret, void *(*run)(void *arg), void *arg)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = -pthread_create(ret, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

int thread__raise(pthread_t thread)
{
	const struct sched_param param = {.sched_priority = 1};

	return -pthread_setschedparam(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
}
