/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's half of an Arm guest's virtual memory, by its tables (Arm ARM, DDI 0487, "The AArch64 Virtual Memory
 * System Architecture"): QEMU's plugin interface shows no kernel address to a vCPU in user mode.
 */
#ifndef PAGE_TABLES_H
#define PAGE_TABLES_H

#include <stddef.h>
#include <stdint.h>

struct page_tables {
	uint64_t ttbr1, tcr; /* TTBR1_EL1, TCR_EL1 */
	int (*read)(void *opaque, uint64_t physical, void *to, size_t size);
	void *opaque;
};

/** 0; -EFAULT if nothing is mapped there, -ENOTSUP if pages are not of 4 KiB. */
int page_tables__find(const struct page_tables *tables, uint64_t address, uint64_t *physical);

#endif
