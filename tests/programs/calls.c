// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls N: calls getsid(2), which nothing else around does, N times, and sleeps a little after every tenth.
 * So that everybody who counts its system calls and its switches can be compared with what there was.
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

int main(int argc, char **argv)
{
	const struct timespec ms = {.tv_nsec = 1000000};
	long n = program__arg(argc, argv, 1, 100);

	for (long i = 1; i <= n; i++) {
		REQUIRE(syscall(SYS_getsid, 0) >= 0);
		if (i % 10 == 0)
			syscall(SYS_nanosleep, &ms, NULL);
	}
	return EXIT_SUCCESS;
}
