// SPDX-License-Identifier: GPL-2.0-only
#include "site.h"

/* Low to high; displacement and vector share the upper half. */
enum {
	CLASS_BITS = 5,
	LENGTH_BITS = 4,
	WIDTH_BITS = 2,
	OFFSET_BITS = 13,

	LENGTH_SHIFT = CLASS_BITS,
	WIDTH_SHIFT = LENGTH_SHIFT + LENGTH_BITS,
	OFFSET_SHIFT = WIDTH_SHIFT + WIDTH_BITS,
	MEMORY_SHIFT = OFFSET_SHIFT + OFFSET_BITS,
	TARGET_SHIFT,
	VALUE_SHIFT = 32,
};

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a site fills a 64-bit pointer");
_Static_assert(X86_LIDT < 1 << CLASS_BITS, "the class fits");
_Static_assert((int)TARGET_SHIFT < (int)VALUE_SHIFT, "fields do not overlap");

static uint64_t field(uint64_t packed, unsigned int shift, unsigned int bits)
{
	return packed >> shift & ((UINT64_C(1) << bits) - 1);
}

void *site__pack(const struct insn *insn, uint32_t offset)
{
	uint64_t width = insn->ip_mask == UINT64_MAX ? 2 : insn->ip_mask == UINT32_MAX;
	uint32_t value = insn->has_target ? (uint32_t)insn->displacement : insn->vector;
	uint64_t packed = (uint64_t)insn->class | (uint64_t)insn->length << LENGTH_SHIFT |
			  width << WIDTH_SHIFT | (uint64_t)offset << OFFSET_SHIFT |
			  (uint64_t)insn->touches_memory << MEMORY_SHIFT |
			  (uint64_t)insn->has_target << TARGET_SHIFT | (uint64_t)value << VALUE_SHIFT;

	return (void *)(uintptr_t)packed;
}

uint32_t site__unpack(const void *pointer, struct insn *insn)
{
	static const uint64_t masks[] = {UINT16_MAX, UINT32_MAX, UINT64_MAX, UINT64_MAX};
	uint64_t packed = (uintptr_t)pointer;
	uint32_t value = (uint32_t)(packed >> VALUE_SHIFT);

	*insn = (struct insn){
		.class = (enum insn_class)field(packed, 0, CLASS_BITS),
		.length = (uint8_t)field(packed, LENGTH_SHIFT, LENGTH_BITS),
		.ip_mask = masks[field(packed, WIDTH_SHIFT, WIDTH_BITS)],
		.touches_memory = field(packed, MEMORY_SHIFT, 1),
		.has_target = field(packed, TARGET_SHIFT, 1),
	};
	if (insn->has_target)
		insn->displacement = (int32_t)value;
	else
		insn->vector = (uint8_t)value;
	return (uint32_t)field(packed, OFFSET_SHIFT, OFFSET_BITS);
}
