/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks in the oracle log (tests/tools/trace-unit/oracle_log.h), made by a program in the guest. Header only, works
 * without libc: in 64- and 32-bit x86 code and in A64. Without the trace unit a mark is a CPUID leaf that does
 * not exist, or a hint that is not allocated.
 */
#ifndef TESTS_MARK_H
#define TESTS_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "oracle_log.h"

#if defined(__x86_64__) || defined(__i386__)
/* Returns whether there is a trace unit that knows marks. */
static inline bool mark__make(enum oracle_mark op, unsigned long arg1, unsigned long arg2)
{
	uint32_t eax = ORACLE_MARK_LEAF;
	unsigned long ebx = op;

	__asm__ volatile("cpuid" : "+a"(eax), "+b"(ebx), "+c"(arg1), "+d"(arg2) : : "memory");
	return eax == ORACLE_MARK_ANSWER;
}
#elif defined(__aarch64__)
static inline bool mark__make(enum oracle_mark op, unsigned long arg1, unsigned long arg2)
{
	register unsigned long x0 __asm__("x0") = ORACLE_MARK_LEAF;
	register unsigned long x1 __asm__("x1") = op;
	register unsigned long x2 __asm__("x2") = arg1;
	register unsigned long x3 __asm__("x3") = arg2;

	__asm__ volatile("hint %1" : "+r"(x0) : "i"(ORACLE_MARK_HINT), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0 == ORACLE_MARK_ANSWER;
}
#else
#error "no mark for this architecture: the trace unit knows A64 and x86 only"
#endif

/* Of tasks whose id is below @first, only what is traced is logged, unless they say mark__loud(). */
static inline bool mark__start(enum oracle_start what, uint32_t first)
{
	return mark__make(ORACLE_MARK_START, what, first);
}

static inline bool mark__stop(void)
{
	return mark__make(ORACLE_MARK_STOP, 0, 0);
}

/* Its branches are logged only where they are traced: those of all threads, if the first one calls this. */
static inline bool mark__quiet(void)
{
	return mark__make(ORACLE_MARK_QUIET, 0, 0);
}

/* So they are unless the task does this, in a log that oracle-mark started with --new. */
static inline bool mark__loud(void)
{
	return mark__make(ORACLE_MARK_LOUD, 0, 0);
}

/* Tells phases and tasks apart. The other marks are logged as their own: use numbers from 16 on. */
static inline bool mark__note(uint32_t number)
{
	return mark__make(ORACLE_MARK_NOTE, number, 0);
}

static inline bool mark__set_symbol(enum oracle_symbol which, unsigned long value)
{
	return mark__make(ORACLE_MARK_SET_SYMBOL, which, value);
}

#endif
