/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest as the plugin reaches it: registers and memory of the vCPU whose callback
 * is running. What differs between architectures is in pt/guest_x86.c, ete/guest_arm.c.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "flow.h"
#include "qemu_plugin_api.h"
#include "registers.h"

struct guest {
	struct qemu_plugin_register *registers[GUEST_NR_REGISTERS];
	uint64_t ip_32; /* of 32-bit code that the registers do not show (Arm); else 0 */
};

/* As QEMU calls them. */
extern const char *const guest__register_names[GUEST_NR_REGISTERS];

/** Finds the registers; from a vCPU's init callback. -ENOENT if one is missing. */
int guest__init(struct guest *guest);

/* Only in callbacks that may read (write) registers. */
uint64_t guest__read(const struct guest *guest, enum guest_register reg);
void guest__write(const struct guest *guest, enum guest_register reg, uint64_t value);

/** 0 or -EFAULT. Physical ones match the units' callbacks; opaque is not used. */
int guest__read_virtual(uint64_t address, void *to, size_t size);
int guest__read_physical(void *opaque, uint64_t address, void *to, size_t size);
int guest__write_physical(void *opaque, uint64_t address, const void *from, size_t size);

/** Of an address of the kernel's, also while the vCPU is in user mode; a read within a page. 0 or a negative errno. */
int guest__kernel_physical(const struct guest *guest, uint64_t address, uint64_t *physical);
int guest__read_kernel(const struct guest *guest, uint64_t address, void *to, size_t size);

/** Forgets QEMU's translation of the kernel's code at address, as after a change of it. 0 or a negative errno. */
int guest__retranslate(const struct guest *guest, uint64_t address);

/* The state of the CPU as its registers have it. */
uint64_t guest__ip(const struct guest *guest);
struct flow_context guest__context(const struct guest *guest);

/** The mode that the code is in which is being translated. */
enum insn_mode guest__mode(const struct guest *guest);

/** What a context says: does it belong to user space; to 32-bit code on a 64-bit CPU? */
bool guest__is_user(const struct flow_context *context);
bool guest__is_compat(const struct flow_context *context);

/** What is to be added to the address of one of Linux' per-CPU variables. */
uint64_t guest__per_cpu_base(const struct guest *guest);

/** At the begin of Linux' __switch_to(): its second argument, the next task. */
uint64_t guest__next_task(const struct guest *guest);

/**
 * In a discontinuity callback: privilege and mode of the interrupted code, from what
 * the CPU saved of it. false if that is not to be found.
 */
bool guest__interrupted(const struct guest *guest, uint64_t from, struct flow_context *context);

/** The clock of the guest's perf, in its ticks: the same on all vCPUs, never going back. */
uint64_t guest__clock(void);

#endif
