// SPDX-License-Identifier: GPL-2.0-only
#include "site.h"

#define OFFSET_SHIFT 32

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a site fills a 64-bit pointer");

void *site__pack(const struct insn *insn, uint32_t offset)
{
	return (void *)(uintptr_t)(insn->word | (uint64_t)offset << OFFSET_SHIFT);
}

uint32_t site__unpack(const void *packed, struct insn *insn)
{
	uint64_t value = (uintptr_t)packed;

	insn__classify((uint32_t)value, insn);
	return (uint32_t)(value >> OFFSET_SHIFT);
}
