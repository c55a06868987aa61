// SPDX-License-Identifier: GPL-2.0-only
/*
 * inlined_cases N: a loop of N rounds, whose body is a function that the compiler inlines, with another one inlined in it. The comments
 * at the ends of lines say what each line calls, so that a test finds the lines.
 */
#include "program.h"

/* Neither removed, nor made a part of its caller, nor called by a jump. */
#define NOINLINE __attribute__((noinline))
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define BARRIER() __asm__ volatile("" ::: "memory")

void first_called(void);
void second_called(void);
void last_called(void);
void run_rounds(long n);

NOINLINE void first_called(void)
{
	BARRIER();
}

NOINLINE void second_called(void)
{
	BARRIER();
}

NOINLINE void last_called(void)
{
	BARRIER();
}

ALWAYS_INLINE void inner_inlined(void)
{
	second_called(); /* second_called */
	BARRIER();
}

ALWAYS_INLINE void outer_inlined(void)
{
	first_called(); /* first_called */
	BARRIER();
	inner_inlined(); /* inner_inlined */
}

NOINLINE void run_rounds(long n)
{
	for (long i = 0; i < n; i++)
		outer_inlined(); /* outer_inlined */
	last_called();		 /* last_called */
	BARRIER();
}

int main(int argc, char **argv)
{
	run_rounds(program__arg(argc, argv, 1, 2)); /* run_rounds */
	BARRIER();
	return 0;
}
