/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an x86 instruction does to the flow of control, and whether it is one that
 * the trace unit answers itself (CPUID, RDMSR, ...).
 *
 * Lengths are not worked out here: the caller (QEMU's translator) knows them.
 * Encodings: Intel SDM vol. 2, appendix A (opcode map).
 */
#ifndef INSN_H
#define INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insn_flow.h"

/* Width of the code segment that the instruction runs in. */
enum insn_mode {
	X86_MODE_16,
	X86_MODE_32,
	X86_MODE_64,
};

enum insn_class {
	X86_OTHER, /* flow goes on at the next instruction */
	X86_JCC,   /* Jcc, LOOPcc, JrCXZ */
	X86_JMP,   /* direct near jump */
	X86_CALL,  /* direct near call */
	X86_IND_JMP,
	X86_IND_CALL,
	X86_RET,
	X86_SYSCALL, /* SYSCALL, SYSENTER */
	X86_SYSRET,  /* SYSRET, SYSEXIT */
	X86_IRET,
	X86_SWINT, /* INT n, INT3, INT1, INTO: arrives as a discontinuity */
	X86_FAR_JMP,
	X86_FAR_CALL,
	X86_FAR_RET,
	/* No branches, but of interest to the unit. */
	X86_CPUID,
	X86_RDTSC,
	X86_RDPMC,
	X86_RDMSR,
	X86_WRMSR,
	X86_MOV_TO_CR3,
	X86_LIDT,
};

struct insn {
	enum insn_class class;
	uint8_t length;	     /* bytes */
	uint8_t vector;	     /* X86_SWINT */
	bool touches_memory; /* a data access may fault, so that it did not retire */
	bool has_target;     /* the displacement says where it goes */
	int32_t displacement;
	uint64_t ip_mask; /* how many bits of IP this instruction can set */
};

/**
 * Classifies the instruction in code[0..length), which must be one whole
 * instruction, as one executed in a code segment of width mode.
 */
void insn__classify(const uint8_t *code, size_t length, enum insn_mode mode, struct insn *insn);

#endif
