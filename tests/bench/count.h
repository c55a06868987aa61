/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions that the CPU has run, as tests/bench/count.c tells the guest: in RAX, at a NOP that no
 * compiler makes.
 */
#ifndef BENCH_COUNT_H
#define BENCH_COUNT_H

#include <stdint.h>

/* nopl 0x62706678(%rax): its bytes. */
#define COUNT_NOP 0x0f, 0x1f, 0x80, 0x78, 0x66, 0x70, 0x62

/* 0 where nobody counts. */
static inline uint64_t count__instructions(void)
{
	uint64_t count = 0;

#if defined(__x86_64__)
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x78, 0x66, 0x70, 0x62" : "+a"(count) : : "memory");
#endif
	return count;
}

#endif
