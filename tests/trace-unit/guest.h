/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The x86 guest as the plugin reaches it: registers and memory of the vCPU whose
 * callback is running, and the clock that its TSC shows.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow.h"
#include "qemu_plugin_api.h"

enum guest_register {
	GUEST_RAX,
	GUEST_RBX,
	GUEST_RCX,
	GUEST_RDX,
	GUEST_RSI,
	GUEST_RSP,
	GUEST_RIP,
	GUEST_CS,
	GUEST_CR3,
	GUEST_EFER,
	GUEST_GS_BASE,
	GUEST_K_GS_BASE,
	GUEST_NR_REGISTERS,
};

struct guest {
	struct qemu_plugin_register *registers[GUEST_NR_REGISTERS];
};

/** Finds the registers; from a vCPU's init callback. -ENOENT if one is missing. */
int guest__init(struct guest *guest);

/* Only in callbacks that may read (write) registers. */
uint64_t guest__read(const struct guest *guest, enum guest_register reg);
void guest__write(const struct guest *guest, enum guest_register reg, uint64_t value);

/** 0 or -EFAULT. Physical ones match struct pt_memory_ops; opaque is not used. */
int guest__read_virtual(uint64_t address, void *to, size_t size);
int guest__read_physical(void *opaque, uint64_t address, void *to, size_t size);
int guest__write_physical(void *opaque, uint64_t address, const void *from, size_t size);

/** Forgets QEMU's translation of the code at a virtual address, as after a change of it. 0 or -EFAULT. */
int guest__retranslate(uint64_t address);

/**
 * Width of the code segment. The plugin interface shows only the selector of CS, not
 * its descriptor, so this knows the descriptors that Linux gives its selectors
 * (arch/x86/include/asm/segment.h); code in an LDT counts as 32-bit.
 */
enum x86_mode guest__mode(const struct guest *guest);

struct flow_context guest__context(const struct guest *guest);

/**
 * In a discontinuity callback: privilege and mode of the interrupted code, from the
 * frame that the CPU pushed (64-bit IDT delivery). false if there is no such frame.
 */
bool guest__interrupted(const struct guest *guest, uint64_t from, struct flow_context *context);

/** The time stamp counter: 1 GHz, the same on all vCPUs, never going back. */
uint64_t guest__tsc(void);

/** Raises the performance monitoring interrupt as the local APIC's LVT says. */
void guest__raise_pmi(void);

#endif
