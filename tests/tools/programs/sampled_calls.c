// SPDX-License-Identifier: GPL-2.0-only
/*
 * sampled_calls: works in spin(), half of the time called by first() and half by second(), and then as much in last(), which
 * never returns: the call of it is the last instruction of main(). Made without optimisation, so that perf finds all callers.
 */
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long work;

static NOINLINE void spin(unsigned long rounds)
{
	while (rounds--)
		work++;
}

static NOINLINE void first(unsigned long rounds)
{
	spin(rounds);
	work++;
}

static NOINLINE void second(unsigned long rounds)
{
	spin(rounds);
	work--;
}

static NOINLINE _Noreturn void last(unsigned long rounds)
{
	while (rounds--)
		work--;
	_exit(0);
}

int main(void)
{
	for (int i = 0; i < 100; i++) {
		first(500000);
		second(500000);
	}
	last(100000000);
}
