// SPDX-License-Identifier: GPL-2.0-only
#include "insn.h"

#include <stddef.h>

#include "oracle_log.h"

#define INSN_BYTES 4u

/* Plain and authenticating forms of what branches to a register. */
static const struct {
	uint32_t mask, value;
	enum insn_class class;
	bool authenticates;
} indirect[] = {
	{0xfffffc1f, 0xd61f0000, A64_IND_JMP, false},  /* BR */
	{0xfffff81f, 0xd61f081f, A64_IND_JMP, true},   /* BRAAZ, BRABZ */
	{0xfffff800, 0xd71f0800, A64_IND_JMP, true},   /* BRAA, BRAB */
	{0xfffffc1f, 0xd63f0000, A64_IND_CALL, false}, /* BLR */
	{0xfffff81f, 0xd63f081f, A64_IND_CALL, true},  /* BLRAAZ, BLRABZ */
	{0xfffff800, 0xd73f0800, A64_IND_CALL, true},  /* BLRAA, BLRAB */
	{0xfffffc1f, 0xd65f0000, A64_RET, false},      /* RET */
	{0xfffffbff, 0xd65f0bff, A64_RET, true},       /* RETAA, RETAB */
	{0xffffffff, 0xd69f03e0, A64_ERET, false},     /* ERET */
	{0xfffffbff, 0xd69f0bff, A64_ERET, true},      /* ERETAA, ERETAB */
};

/* The signed field of `bits` bits from bit `shift` on, in instructions. */
static int32_t displacement(uint32_t word, unsigned int shift, unsigned int bits)
{
	int32_t field = (int32_t)(word << (32 - shift - bits)) >> (32 - bits);

	return field * (int32_t)INSN_BYTES;
}

static void set_direct(struct insn *insn, enum insn_class class, unsigned int shift, unsigned int bits)
{
	insn->class = class;
	insn->displacement = displacement(insn->word, shift, bits);
}

static const size_t nr_indirect = sizeof(indirect) / sizeof(indirect[0]);

/* The entry of the table, or nr_indirect. */
static size_t find_indirect(uint32_t word)
{
	size_t i = 0;

	while (i < nr_indirect && (word & indirect[i].mask) != indirect[i].value)
		i++;
	return i;
}

static void classify_system(struct insn *insn)
{
	uint32_t word = insn->word;

	if ((word & 0xfffff0ff) == 0xd50330df) {
		insn->class = A64_ISB;
	} else if ((word & 0xffe0001f) == 0xd4000001) {
		insn->class = A64_SVC;
	} else if (word == (0xd503201f | ORACLE_MARK_HINT << 5)) {
		insn->class = A64_MARK;
	} else if ((word & 0xffd00000) == 0xd5100000) {
		insn->class = word & 0x00200000 ? A64_MRS : A64_MSR;
		insn->sysreg = word >> 5 & 0xffff;
		insn->rt = word & 31;
	}
}

void insn__classify(uint32_t word, struct insn *insn)
{
	size_t i = find_indirect(word);

	*insn = (struct insn){.class = A64_OTHER, .word = word};
	if (i < nr_indirect)
		insn->class = indirect[i].class;
	else if ((word & 0x7c000000) == 0x14000000)
		set_direct(insn, word >> 31 ? A64_CALL : A64_JMP, 0, 26);
	else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
		set_direct(insn, A64_COND, 5, 19);
	else if ((word & 0x7e000000) == 0x36000000)
		set_direct(insn, A64_COND, 5, 14);
	else
		classify_system(insn);
}

bool insn__is_branch(const struct insn *insn)
{
	return insn->class >= A64_COND && insn->class <= A64_ISB;
}

bool insn__is_far(const struct insn *insn)
{
	return insn->class == A64_ERET;
}

bool insn__is_indirect(const struct insn *insn)
{
	return insn->class >= A64_IND_JMP && insn->class <= A64_ERET;
}

bool insn__is_conditional(const struct insn *insn)
{
	return insn->class == A64_COND;
}

bool insn__is_trap(const struct insn *insn)
{
	return false;
}

bool insn__may_fault(const struct insn *insn)
{
	size_t i = find_indirect(insn->word);

	return i < nr_indirect && indirect[i].authenticates;
}

bool insn__writes_memory(const struct insn *insn)
{
	return false;
}

uint64_t insn__next(const struct insn *insn, uint64_t ip)
{
	return ip + INSN_BYTES;
}

uint64_t insn__target(const struct insn *insn, uint64_t ip)
{
	return ip + (uint64_t)(int64_t)insn->displacement;
}
