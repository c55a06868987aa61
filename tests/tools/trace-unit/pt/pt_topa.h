/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the packets go: a single range of physical memory or a walk through tables
 * of physical addresses (ToPA).
 *
 * Intel SDM vol. 3, "Intel Processor Trace", section "Trace Output". Memory is
 * reached through callbacks, so that this runs without a guest.
 */
#ifndef PT_TOPA_H
#define PT_TOPA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table entry. */
#define TOPA_END (1ull << 0)
#define TOPA_INT (1ull << 2)
#define TOPA_STOP (1ull << 4)
#define TOPA_SIZE_SHIFT 6
#define TOPA_ADDRESS 0x000ffffffffff000ull

struct pt_memory_ops {
	/* Physical memory of the guest; 0 or a negative errno. */
	int (*read)(void *opaque, uint64_t address, void *to, size_t size);
	int (*write)(void *opaque, uint64_t address, const void *from, size_t size);
};

/* RTIT_OUTPUT_BASE and RTIT_OUTPUT_MASK_PTRS, as software wrote them and as the
 * walk moves them on. */
struct pt_output {
	uint64_t base;
	uint64_t mask_ptrs;
	uint64_t written; /* bytes that went to memory */
};

/* What a write led to; or-ed. */
enum pt_output_event {
	PT_OUTPUT_STOPPED = 1, /* a STOP region is full: nothing more is taken */
	PT_OUTPUT_PMI = 2,     /* an INT region is full */
	PT_OUTPUT_ERROR = 4,   /* table or range wrong, or memory out of reach */
};

/** Bits of OUTPUT_MASK_PTRS that always read as 1 in the given mode. */
uint64_t pt_output__forced_mask(bool topa);

/**
 * Writes size bytes of trace and moves the pointers on. After STOPPED or ERROR the
 * rest of the bytes is dropped. A STOP region that was filled stays current, its
 * offset then equal to its size: the kernel's driver (pt_handle_status()) tells a
 * loss by that.
 *
 * Returns a set of enum pt_output_event.
 */
unsigned int pt_output__write(struct pt_output *output, bool topa, const void *data, size_t size,
			      const struct pt_memory_ops *memory, void *opaque);

#endif
