// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls N: calls getsid(2), which nothing else around does, N times, and sleeps a little after every tenth, so that
 * the CPU is switched from it: a sleep that is over before the task has left its CPU is none.
 * So that everybody who counts its system calls and its switches can be compared with what there was.
 */
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

/* How often this task has given its CPU away. */
static long switches(void)
{
	struct rusage usage;

	REQUIRE(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_nvcsw;
}

static void sleep_a_little(void)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	const long before = switches();

	while (switches() == before)
		syscall(SYS_nanosleep, &ms, NULL);
}

int main(int argc, char **argv)
{
	long n = program__arg(argc, argv, 1, 100);

	for (long i = 1; i <= n; i++) {
		REQUIRE(syscall(SYS_getsid, 0) >= 0);
		if (i % 10 == 0)
			sleep_a_little();
	}
	return EXIT_SUCCESS;
}
