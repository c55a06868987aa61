// SPDX-License-Identifier: GPL-2.0-only
/* Addresses of 48 and of 39 bits, by pages and by blocks. */
#include "page_tables.h"

#include <errno.h>

#include "check.h"

#define TG1_4K (2ull << 30)
#define T1SZ(bits) ((64ull - (bits)) << 16)
#define ATTRIBUTES 0x0060000000000700ull

/* One table a page, at physical address 0 and on. */
static uint64_t memory[4][512];

static int read_memory(void *opaque, uint64_t physical, void *to, size_t size)
{
	CHECK(opaque == memory);
	if (physical + size > sizeof(memory))
		return -1;
	memcpy(to, (const char *)memory + physical, size);
	return 0;
}

static const struct page_tables of_48_bits = {
	.ttbr1 = 0x0042000000000001, /* with an ASID and CnP */
	.tcr = TG1_4K | T1SZ(48),
	.read = read_memory,
	.opaque = memory,
};

static void check_found(const struct page_tables *tables, uint64_t address, uint64_t expected)
{
	uint64_t physical = 0;

	CHECK_EQ(page_tables__find(tables, address, &physical), 0);
	CHECK_EQ(physical, expected);
}

static void check_pages(void)
{
	memory[0][0x100] = 0x1003;
	memory[1][0x002] = 0x2003;
	memory[2][0x003] = 0x3003;
	memory[3][0x1ff] = 0x45678003 | ATTRIBUTES;
	check_found(&of_48_bits, 0xffff800080000000 + 0x600000 + 0x1ff000 + 0xabc, 0x45678abc);
}

static void check_blocks(void)
{
	memory[1][0x003] = 0x80000001 | ATTRIBUTES;
	memory[2][0x004] = 0x40a00001 | ATTRIBUTES;
	check_found(&of_48_bits, 0xffff8000c0000000 + 0x12345678, 0x92345678);
	check_found(&of_48_bits, 0xffff800080000000 + 0x800000 + 0x123456, 0x40b23456);
}

/* One level less. */
static void check_39_bits(void)
{
	const struct page_tables tables = {
		.ttbr1 = 0x1000, .tcr = TG1_4K | T1SZ(39), .read = read_memory, .opaque = memory};

	check_found(&tables, 0xffffff8080000000 + 0x600000 + 0x1ff000, 0x45678000);
}

static void check_refused(void)
{
	struct page_tables pages_of_64k = of_48_bits;
	uint64_t physical;

	CHECK_EQ(page_tables__find(&of_48_bits, 0xffff800080000000, &physical), -EFAULT);
	CHECK_EQ(page_tables__find(&of_48_bits, 0xffff900000000000, &physical), -EFAULT);
	CHECK_EQ(page_tables__find(&of_48_bits, 0x0000800080000000 + 0x600000 + 0x1ff000, &physical),
		 -EFAULT);
	memory[3][0x1ff] = 0;
	CHECK_EQ(page_tables__find(&of_48_bits, 0xffff800080000000 + 0x600000 + 0x1ff000, &physical),
		 -EFAULT);
	memory[2][0x003] = 0x7003; /* a table that is not there */
	CHECK_EQ(page_tables__find(&of_48_bits, 0xffff800080000000 + 0x600000 + 0x1ff000, &physical),
		 -EFAULT);
	pages_of_64k.tcr |= 3ull << 30;
	CHECK_EQ(page_tables__find(&pages_of_64k, 0xffff800080000000, &physical), -ENOTSUP);
}

int main(void)
{
	check_pages();
	check_blocks();
	check_39_bits();
	check_refused();
	return check__done();
}
