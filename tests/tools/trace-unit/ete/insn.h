/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an A64 instruction does to the flow of control, and whether it is one that
 * the trace unit answers itself (MRS, MSR, the mark).
 *
 * Encodings: Arm ARM (DDI 0487), C4.1 "A64 instruction set encoding".
 */
#ifndef INSN_H
#define INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "insn_flow.h"

/* Code of 32-bit programs is not decoded and not traced. */
enum insn_mode {
	A64_MODE_32,
	A64_MODE_64,
};

enum insn_class {
	A64_OTHER,    /* flow goes on at the next instruction, or an event comes (SVC, HVC, BRK) */
	A64_COND,     /* B.cond, CBZ, CBNZ, TBZ, TBNZ */
	A64_JMP,      /* B */
	A64_CALL,     /* BL */
	A64_IND_JMP,  /* BR, BRAA ... */
	A64_IND_CALL, /* BLR, BLRAA ... */
	A64_RET,      /* RET, RETAA, RETAB */
	A64_ERET,     /* ERET, ERETAA, ERETAB */
	A64_ISB,      /* goes on at the next instruction, but a trace unit tells of it as of a branch */
	/* No branches, but of interest to the unit. */
	A64_SVC,
	A64_MRS,
	A64_MSR,
	A64_MARK, /* HINT #ORACLE_MARK_HINT */
};

/* A system register as MRS and MSR name it. */
#define A64_SYSREG(op0, op1, crn, crm, op2) \
	((uint16_t)((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2)))

struct insn {
	enum insn_class class;
	uint32_t word;
	int32_t displacement; /* A64_COND, A64_JMP, A64_CALL */
	uint16_t sysreg;      /* A64_MRS, A64_MSR: A64_SYSREG() */
	uint8_t rt;	      /* the same: the general register, 31 is XZR */
};

void insn__classify(uint32_t word, struct insn *insn);

/** Is its target not in the instruction? */
bool insn__is_indirect(const struct insn *insn);

#endif
