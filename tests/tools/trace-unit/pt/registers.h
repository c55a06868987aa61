/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of an x86 guest that the trace unit reads or writes.
 */
#ifndef REGISTERS_H
#define REGISTERS_H

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

#endif
