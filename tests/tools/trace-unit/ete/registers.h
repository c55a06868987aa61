/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of an Arm guest that the trace unit reads or writes.
 */
#ifndef REGISTERS_H
#define REGISTERS_H

enum guest_register {
	GUEST_X0,
	GUEST_X30 = GUEST_X0 + 30,
	GUEST_PC,
	GUEST_CPSR,
	GUEST_SPSR_EL1,
	GUEST_ESR_EL1,
	GUEST_TPIDR_EL1,
	GUEST_CONTEXTIDR_EL1,
	GUEST_TTBR1_EL1,
	GUEST_TCR_EL1,
	GUEST_CNTFRQ_EL0,
	GUEST_ID_AA64DFR0_EL1,
	GUEST_NR_REGISTERS,
};

#endif
