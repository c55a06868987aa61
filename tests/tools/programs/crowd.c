// SPDX-License-Identifier: GPL-2.0-only
/*
 * crowd COUNT [NAME [FIFO]]: so many threads live at a time, and each of them makes one uname(), after it has taken
 * that name. With a FIFO they wait until something is written there.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include "task.h"

#define STACK (64 << 10)

/* The first keeps all threads until the last one is there, the second until the last one has made its call. */
static pthread_mutex_t born = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t called;
static const char *new_name;

static void *call(void *arg)
{
	struct utsname name;

	pthread_mutex_lock(&born);
	pthread_mutex_unlock(&born);
	REQUIRE(!new_name || !prctl(PR_SET_NAME, new_name));
	REQUIRE(!uname(&name));
	pthread_barrier_wait(&called);
	return NULL;
}

static void wait_for(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char byte;

	REQUIRE(fd >= 0 && read(fd, &byte, 1) == 1);
}

int main(int argc, char **argv)
{
	long count = program__arg(argc, argv, 1, 1000);
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	pthread_attr_t attr;

	REQUIRE(threads && !pthread_attr_init(&attr) && !pthread_attr_setstacksize(&attr, STACK));
	REQUIRE(!pthread_barrier_init(&called, NULL, (unsigned int)count));
	new_name = argc > 2 ? argv[2] : NULL;
	pthread_mutex_lock(&born);
	for (long i = 0; i < count; i++)
		REQUIRE(!pthread_create(&threads[i], &attr, call, NULL));
	if (argc > 3)
		wait_for(argv[3]);
	pthread_mutex_unlock(&born);
	for (long i = 0; i < count; i++)
		REQUIRE(!pthread_join(threads[i], NULL));
	return EXIT_SUCCESS;
}
