// SPDX-License-Identifier: GPL-2.0-only
/*
 * crowd COUNT: so many threads live at a time, and each of them makes one uname().
 */
#include <pthread.h>
#include <sys/utsname.h>

#include "task.h"

#define STACK (64 << 10)

/* The first keeps all threads until the last one is there, the second until the last one has made its call. */
static pthread_mutex_t born = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t called;

static void *call(void *arg)
{
	struct utsname name;

	pthread_mutex_lock(&born);
	pthread_mutex_unlock(&born);
	REQUIRE(!uname(&name));
	pthread_barrier_wait(&called);
	return NULL;
}

int main(int argc, char **argv)
{
	long count = program__arg(argc, argv, 1, 1000);
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	pthread_attr_t attr;

	REQUIRE(threads && !pthread_attr_init(&attr) && !pthread_attr_setstacksize(&attr, STACK));
	REQUIRE(!pthread_barrier_init(&called, NULL, (unsigned int)count));
	pthread_mutex_lock(&born);
	for (long i = 0; i < count; i++)
		REQUIRE(!pthread_create(&threads[i], &attr, call, NULL));
	pthread_mutex_unlock(&born);
	for (long i = 0; i < count; i++)
		REQUIRE(!pthread_join(threads[i], NULL));
	return EXIT_SUCCESS;
}
