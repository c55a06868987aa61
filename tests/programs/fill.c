// SPDX-License-Identifier: GPL-2.0-only
/*
 * fill CPU KIB [LINES]: fills the trace of a CPU as fast as it goes: jumps between two places so far apart
 * that each takes the longest packet that Intel PT has for it. Prints a line after each KIB KiB of trace, and
 * ends with the last of LINES (0: never).
 */
#include "task.h"

#define ROUND_BYTES 14 /* two TIP packets of 7 bytes, at least */

/* Linked to where programs.mk says. */
__asm__(".pushsection .far, \"ax\", @progbits\n"
	"far_side:\n"
#if defined(__x86_64__)
	"	jmp *%rdx\n"
#endif
	".popsection\n");

static void fill(unsigned long rounds)
{
#if defined(__x86_64__)
	__asm__ volatile("	movabs $far_side, %%rax\n"
			 "	lea 1f(%%rip), %%rdx\n"
			 "0:	jmp *%%rax\n"
			 "1:	dec %%rcx\n"
			 "	jnz 0b\n"
			 : "+c"(rounds)
			 :
			 : "rax", "rdx", "cc", "memory");
#endif
}

int main(int argc, char **argv)
{
	unsigned long rounds = (unsigned long)program__arg(argc, argv, 2, 1024) * 1024 / ROUND_BYTES;
	long lines = program__arg(argc, argv, 3, 0);

	task__pin(0, (unsigned int)program__arg(argc, argv, 1, 0));
	for (long i = 1;; i++) {
		fill(rounds);
		puts("filled");
		fflush(stdout);
		if (i == lines)
			return EXIT_SUCCESS;
	}
}
