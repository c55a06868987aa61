// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample_cases N: N times burns CPU time in burn_inside(), which inside() has between two calls of its own, and
 * as much in burn_outside(); calls uname(2) and getsid(2) each time. It exits with 3. So that of samples it can
 * be told whether they are of the one or of the other. Without frame pointers (programs.mk): only unwinding
 * tells that burn_inside() was called by inside(), and that by main().
 */
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "program.h"

#define ITERATIONS 200000

__attribute__((noinline)) static unsigned int burn_inside(unsigned int seed)
{
	for (int i = 0; i < ITERATIONS; i++)
		__asm__ volatile("" : "+r"(seed));
	return seed + 1;
}

__attribute__((noinline)) static unsigned int burn_outside(unsigned int seed)
{
	for (int i = 0; i < ITERATIONS; i++)
		__asm__ volatile("" : "+r"(seed));
	return seed + 2;
}

/* What it calls is neither inlined nor its last step, which would take it off the stack. */
__attribute__((noinline)) static unsigned int inside(unsigned int seed)
{
	struct utsname uts;

	REQUIRE(!syscall(SYS_uname, &uts));
	seed = burn_inside(seed) * 3;
	return seed + (unsigned char)uts.sysname[0];
}

/* How many there were. */
static volatile long rounds;

int main(int argc, char **argv)
{
	long n = program__arg(argc, argv, 1, 100);
	unsigned int seed = (unsigned int)n;

	for (long i = 0; i < n; i++) {
		seed = inside(seed);
		REQUIRE(syscall(SYS_getsid, 0) >= 0);
		seed = burn_outside(seed);
		rounds = i + 1;
	}
	return seed == 1 ? EXIT_FAILURE : 3;
}
