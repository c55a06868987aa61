/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The number of instructions that the CPU has run, which tests/bench/count.c gives the guest in RAX, at a NOP
 * that no compiler makes.
 */
#ifndef BENCH_COUNT_H
#define BENCH_COUNT_H

#include <stdint.h>

/* The bytes of nopl 0x62706678(%rax). */
#define COUNT_NOP 0x0f, 0x1f, 0x80, 0x78, 0x66, 0x70, 0x62

/* Returns the number of instructions; 0 if nobody counts them. */
static inline uint64_t count__instructions(void)
{
	uint64_t count = 0;

#if defined(__x86_64__)
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x78, 0x66, 0x70, 0x62" : "+a"(count) : : "memory");
#endif
	return count;
}

#endif
