// SPDX-License-Identifier: GPL-2.0-only
/* A thread that has a lock runs with the priority of the one that waits for it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "check.h"

static pthread_mutex_t lock;

/* The priority that a thread of this process has now, as in the field 18 of proc_pid_stat(5): of a real-time one below 0. */
static int priority_of(pid_t tid)
{
	char path[64], text[1024] = "";
	const char *at;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	file = fopen(path, "re");
	if (!file)
		exit(1);
	CHECK(fgets(text, sizeof(text), file) != NULL);
	fclose(file);
	at = strrchr(text, ')');
	for (int field = 2; at && field < 18; field++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at) : 0;
}

static void *take(void *arg)
{
	(void)arg;
	CHECK_EQ(thread__raise(pthread_self(), THREAD_TAKES), 0);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int before, lent = 0;

	thread__init_lock(&lock);
	before = priority_of(gettid());
	pthread_mutex_lock(&lock);
	if (thread__start(&thread, take, NULL))
		return 1;
	for (int i = 0; i < 1000 && lent >= 0; i++) {
		usleep(10000);
		lent = priority_of(gettid());
	}
	CHECK(before >= 0);
	CHECK(lent < 0);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	CHECK_EQ(priority_of(gettid()), before);
	return check__done();
}
