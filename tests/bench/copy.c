// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_copy MIB: prints how long a memcpy() of so many MiB takes between memory that is in place, in ns: the
 * median of five, by a thread with the priority of the thread that takes snapshots.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define RUNS 5

static void *memory(size_t len)
{
	void *mem =
		mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (mem == MAP_FAILED) {
		perror("bench_copy");
		exit(EXIT_FAILURE);
	}
	return memset(mem, 1, len);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
	const struct sched_param first = {.sched_priority = 1};
	const size_t len = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1) << 20;
	uint8_t *from = memory(len), *to = memory(len);
	uint64_t took[RUNS];

	if (sched_setscheduler(0, SCHED_FIFO, &first))
		perror("bench_copy: no real-time priority");
	for (size_t i = 0; i < RUNS; i++) {
		uint64_t start = now();

		from[i] = 2;
		memcpy(to, from, len);
		took[i] = now() - start;
		if (to[i] != 2)
			return EXIT_FAILURE;
	}
	qsort(took, RUNS, sizeof(*took), compare);
	printf("%llu\n", (unsigned long long)took[RUNS / 2]);
	return EXIT_SUCCESS;
}
