// SPDX-License-Identifier: GPL-2.0-only
/*
 * compat32 [N [MS]]: a 32-bit process, without libc (and so without a 32-bit development environment). N
 * times (default 5), with a pause of MS milliseconds after each (default none), it makes INT 0x80 with number
 * 63, which is dup2 here and uname in 64-bit code, and with 122, which is uname here. Exits with 0 if both
 * did that. On Arm, where the numbers are the same, by SVC; there are no marks in 32-bit code there.
 */
#include <stdint.h>

#if defined(__i386__)
#include "mark.h"
#endif

#define NOTE_TARGET 100

#define NR_EXIT 1
#define NR_DUP2 63
#define NR_UNAME 122
#define NR_NANOSLEEP 162

#define EBADF 9

struct timespec32 {
	int32_t sec, nsec;
};

struct utsname32 {
	char field[6][65];
};

#if defined(__i386__)
static long syscall32(long nr, long a, long b)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(0) : "memory");
	return ret;
}
#else
static long syscall32(long nr, long a, long b)
{
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = 0;
	register long r7 __asm__("r7") = nr;

	__asm__ volatile("svc #0" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r7) : "memory");
	return r0;
}
#endif

static long parse_count(const char *s)
{
	long n = 0;

	while (*s >= '0' && *s <= '9')
		n = n * 10 + *s++ - '0';
	return n;
}

__attribute__((used, noreturn)) void compat32_main(long argc, char **argv);

void compat32_main(long argc, char **argv)
{
	long n = argc > 1 ? parse_count(argv[1]) : 5, ms = argc > 2 ? parse_count(argv[2]) : 0;
	struct timespec32 pause = {(int32_t)(ms / 1000), (int32_t)(ms % 1000 * 1000000)};
	struct utsname32 uts;
	int ok = 1;

#if defined(__i386__)
	mark__note(NOTE_TARGET);
#endif
	while (n-- > 0) {
		uts.field[0][0] = 0;
		if (syscall32(NR_DUP2, -1, -1) != -EBADF)
			ok = 0;
		if (syscall32(NR_UNAME, (long)&uts, 0) || uts.field[0][0] != 'L')
			ok = 0;
#if defined(__i386__)
		if (ms)
			mark__quiet(); /* it is only company for others: its untraced branches are of no use
					*/
#endif
		if (ms)
			syscall32(NR_NANOSLEEP, (long)&pause, 0);
	}
	for (;;)
		syscall32(NR_EXIT, !ok, 0);
}

__asm__(".globl _start\n"
	"_start:\n"
#if defined(__i386__)
	"\tmov %esp, %eax\n"
	"\tlea 4(%eax), %ecx\n"
	"\tpushl %ecx\n"
	"\tpushl (%eax)\n"
	"\tcall compat32_main\n"
	"\tud2\n" /* it does not return; a call of the next instruction would look like one that reads its own address */
#else
	"\tldr r0, [sp]\n"
	"\tadd r1, sp, #4\n"
	"\tbl compat32_main\n"
#endif
);
