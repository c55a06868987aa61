// SPDX-License-Identifier: GPL-2.0-only
#include "page_tables.h"

#include <errno.h>

#define TCR_T1SZ_SHIFT 16
#define TCR_TG1_SHIFT 30
#define TG1_4K 2u

#define PAGE_SHIFT 12
#define INDEX_BITS 9 /* of one table */

#define DESCRIPTOR_VALID 1u
#define DESCRIPTOR_TABLE 2u /* at the last level: a page */
#define OUTPUT_MASK UINT64_C(0xfffffffff000)

/* Of the table that is looked up first: the lowest bit of its index. */
static unsigned int first_shift(unsigned int bits)
{
	unsigned int levels = (bits - PAGE_SHIFT + INDEX_BITS - 1) / INDEX_BITS;

	return PAGE_SHIFT + (levels - 1) * INDEX_BITS;
}

int page_tables__find(const struct page_tables *tables, uint64_t address, uint64_t *physical)
{
	unsigned int bits = 64 - (unsigned int)(tables->tcr >> TCR_T1SZ_SHIFT & 63);
	unsigned int shift = first_shift(bits);
	uint64_t descriptor = tables->ttbr1, index = address & ((UINT64_C(1) << bits) - 1), offset;

	if ((tables->tcr >> TCR_TG1_SHIFT & 3) != TG1_4K)
		return -ENOTSUP;
	if (~address >> bits)
		return -EFAULT;
	for (;; shift -= INDEX_BITS) {
		uint64_t entry = (descriptor & OUTPUT_MASK) + (index >> shift) * sizeof(descriptor);

		if (tables->read(tables->opaque, entry, &descriptor, sizeof(descriptor)) < 0 ||
		    !(descriptor & DESCRIPTOR_VALID))
			return -EFAULT;
		index &= (UINT64_C(1) << shift) - 1;
		if (shift == PAGE_SHIFT || !(descriptor & DESCRIPTOR_TABLE))
			break;
	}
	offset = (UINT64_C(1) << shift) - 1;
	*physical = (descriptor & OUTPUT_MASK & ~offset) | (address & offset);
	return 0;
}
