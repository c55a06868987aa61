// SPDX-License-Identifier: GPL-2.0-only
#include "base/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/privileges.h"

/* Gives nine times the share that a thread has by default (kernel/sched/core.c, sched_prio_to_weight). */
#define FAVOURED (-10)

struct start {
	void *(*run)(void *arg);
	void *arg;
};

static void *begin(void *arg)
{
	struct start start = *(struct start *)arg;

	free(arg);
	privileges__limit_new_thread();
	return start.run(start.arg);
}

int thread__start(pthread_t *ret, void *(*run)(void *arg), void *arg)
{
	struct start *start = malloc(sizeof(*start));
	sigset_t all, old;
	int err;

	if (!start)
		return -ENOMEM;
	*start = (struct start){run, arg};
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = -pthread_create(ret, NULL, begin, start);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		free(start);
	return err;
}

int thread__raise(pthread_t thread, enum thread_priority priority)
{
	const struct sched_param param = {.sched_priority = priority};

	return -pthread_setschedparam(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
}

/* The 0 stands for the calling thread alone on Linux. */
int thread__favour(void)
{
	return setpriority(PRIO_PROCESS, 0, FAVOURED) ? -errno : 0;
}

void thread__init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}
