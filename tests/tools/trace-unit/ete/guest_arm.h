/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What only an Arm guest has.
 */
#ifndef GUEST_ARM_H
#define GUEST_ARM_H

#include "guest.h"

/* Exception classes, ESR_ELx.EC. */
enum {
	ESR_EC_SVC_32 = 0x11,
	ESR_EC_SVC = 0x15,
	ESR_EC_HVC = 0x16,
	ESR_EC_SMC = 0x17,
	ESR_EC_INST_ABORT_LOWER = 0x20,
	ESR_EC_INST_ABORT = 0x21,
	ESR_EC_PC_ALIGNMENT = 0x22,
	ESR_EC_DATA_ABORT_LOWER = 0x24,
	ESR_EC_DATA_ABORT = 0x25,
	ESR_EC_SP_ALIGNMENT = 0x26,
	ESR_EC_BREAKPOINT_LOWER = 0x30,
	ESR_EC_STEP = 0x33,
	ESR_EC_WATCHPOINT_LOWER = 0x34,
	ESR_EC_WATCHPOINT = 0x35,
	ESR_EC_BRK = 0x3c,
};

/** General register 0..31; 31 is XZR. */
uint64_t guest__read_x(const struct guest *guest, unsigned int number);
void guest__write_x(const struct guest *guest, unsigned int number, uint64_t value);

/** Is the code at address, which is being translated, of 32 bits? */
bool guest__translates_32(const struct guest *guest, uint64_t address);

/**
 * QEMU's virtual counter was just read. The plugin interface does not show it: what
 * the guest reads of it is how guest__clock() learns it.
 */
void guest__clock_was_read(const struct guest *guest, uint64_t value);

/** The line of the private interrupt of the trace buffer of the CPU with this index. */
void guest__set_irq(unsigned int cpu, bool asserted);

#endif
