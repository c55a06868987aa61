// SPDX-License-Identifier: GPL-2.0-only
/*
 * fill CPU KIB [LINES]: fills the trace of a CPU as fast as it goes: on x86 jumps between two places so far
 * apart that each takes the longest packet that Intel PT has for it; on Arm, whose trace names an address that
 * it has named just before with one byte, among more places than it remembers. Prints a line after each KIB
 * KiB of trace, and ends with the last of LINES (0: never).
 */
#include "task.h"

#if defined(__x86_64__)
#define ROUND_BYTES 14 /* two TIP packets of 7 bytes, at least */

/* Linked to where programs.mk says. */
__asm__(".pushsection .far, \"ax\", @progbits\n"
	"far_side:\n"
	"	jmp *%rdx\n"
	".popsection\n");

static void fill(unsigned long rounds)
{
	__asm__ volatile("	movabs $far_side, %%rax\n"
			 "	lea 1f(%%rip), %%rdx\n"
			 "0:	jmp *%%rax\n"
			 "1:	dec %%rcx\n"
			 "	jnz 0b\n"
			 : "+c"(rounds)
			 :
			 : "rax", "rdx", "cc", "memory");
}
#elif defined(__aarch64__)
#define ROUND_BYTES 8 /* four addresses of 2 bytes, at least */

static void fill(unsigned long rounds)
{
	__asm__ volatile("	adr x1, 1f\n"
			 "	adr x2, 2f\n"
			 "	adr x3, 3f\n"
			 "	adr x4, 4f\n"
			 "0:	br x1\n"
			 "1:	br x2\n"
			 "2:	br x3\n"
			 "3:	br x4\n"
			 "4:	subs %0, %0, #1\n"
			 "	b.ne 0b\n"
			 : "+r"(rounds)
			 :
			 : "x1", "x2", "x3", "x4", "cc", "memory");
}
#endif

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
