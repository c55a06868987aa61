/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Trace Buffer Extension: takes bytes of trace and moves a pointer through a
 * buffer of virtual addresses. Arm ARM (DDI 0487), "The Trace Buffer Extension".
 *
 * Memory is written by trbe__drain() alone, because the buffer's addresses are the
 * kernel's: it has to be called when they can be reached, and before software looks.
 */
#ifndef TRBE_H
#define TRBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* op2 of MRS and MSR for S3_0_C9_C11_<op2>. */
enum trbe_register {
	TRBE_LIMITR = 0,
	TRBE_PTR = 1,
	TRBE_BASER = 2,
	TRBE_SR = 3,
	TRBE_MAR = 4,
	TRBE_TRG = 6,
	TRBE_IDR = 7,
	TRBE_NR_REGISTERS = 8,
};

#define TRBLIMITR_E (1ull << 0)
#define TRBLIMITR_FM (3ull << 1)
#define TRBLIMITR_FM_FILL (0ull << 1) /* stops when full, and interrupts */
#define TRBLIMITR_FM_WRAP (1ull << 1) /* goes on at the begin, and interrupts */
#define TRBLIMITR_FM_CBUF (3ull << 1) /* goes on at the begin */

#define TRBSR_BSC_FILLED 1ull
#define TRBSR_S (1ull << 17)
#define TRBSR_WRAP (1ull << 20)
#define TRBSR_IRQ (1ull << 22)
#define TRBSR_EC_STAGE1_ABORT (0x24ull << 26)

struct trbe {
	uint64_t registers[TRBE_NR_REGISTERS];
	uint64_t written; /* bytes taken since the unit was made */
	/* Bytes taken and not drained, and where the first of them belongs. */
	uint8_t *bytes;
	size_t size, capacity;
	uint64_t first;
};

void trbe__init(struct trbe *trbe);
void trbe__free(struct trbe *trbe);

uint64_t trbe__read(const struct trbe *trbe, enum trbe_register which);

/** What is taken must be drained before. Writes of TRBIDR have no effect. */
void trbe__write(struct trbe *trbe, enum trbe_register which, uint64_t value);

/** Is it what the trace goes to, if it takes any? */
bool trbe__enabled(const struct trbe *trbe);

/** Does it take trace? */
bool trbe__accepts(const struct trbe *trbe);

/** Does it stop when it is full? */
bool trbe__stops_when_full(const struct trbe *trbe);

/** Bytes up to the limit. */
uint64_t trbe__room(const struct trbe *trbe);

/** Takes bytes; when it fills up in a mode that stops, the rest is lost. */
void trbe__put(struct trbe *trbe, const void *data, size_t size);

/** Is the interrupt asserted? */
bool trbe__irq(const struct trbe *trbe);

/**
 * Writes to memory what was taken, by at most one page at a time. write returns 0 or a
 * negative errno; then the unit stops as for a fault.
 */
void trbe__drain(struct trbe *trbe,
		 int (*write)(void *opaque, uint64_t address, const void *from, size_t size), void *opaque);

#endif
