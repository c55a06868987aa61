// SPDX-License-Identifier: GPL-2.0-only
#include "pt_topa.h"

#include <errno.h>

#include "check.h"

#define PAGE 4096u
#define TABLE 0x100000u /* where tests keep tables; everything else is data */

static uint8_t memory[0x200000];

static int read_memory(void *opaque, uint64_t address, void *to, size_t size)
{
	if (address + size > sizeof(memory))
		return -EFAULT;
	memcpy(to, memory + address, size);
	return 0;
}

static int write_memory(void *opaque, uint64_t address, const void *from, size_t size)
{
	if (address + size > sizeof(memory))
		return -EFAULT;
	memcpy(memory + address, from, size);
	return 0;
}

static const struct pt_memory_ops ops = {.read = read_memory, .write = write_memory};

static void set_entry(unsigned int table, unsigned int index, uint64_t entry)
{
	memcpy(memory + TABLE + table * PAGE + index * 8, &entry, 8);
}

static uint64_t size_order(unsigned int order)
{
	return (uint64_t)order << TOPA_SIZE_SHIFT;
}

static uint64_t pointers(uint64_t index, uint64_t offset)
{
	return offset << 32 | index << 7 | 0x7f;
}

static unsigned int write_bytes(struct pt_output *o, size_t size)
{
	static uint8_t data[64 * PAGE];

	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)(i % 251 + 1);
	return pt_output__write(o, true, data, size, &ops, NULL);
}

static struct pt_output fresh(void)
{
	memset(memory, 0, sizeof(memory));
	return (struct pt_output){.base = TABLE, .mask_ptrs = pointers(0, 0)};
}

static void check_walk(void)
{
	struct pt_output o = fresh();

	set_entry(0, 0, 0x10000);
	set_entry(0, 1, 0x20000 | size_order(1));
	set_entry(0, 2, TABLE | TOPA_END);
	CHECK_EQ(write_bytes(&o, 10), 0);
	CHECK_EQ(o.mask_ptrs, pointers(0, 10));
	CHECK_EQ(memory[0x10000 + 9], 10);
	CHECK_EQ(write_bytes(&o, PAGE), 0);
	CHECK_EQ(o.mask_ptrs, pointers(1, 10));
	CHECK_EQ(memory[0x10000 + 10], 1);
	CHECK_EQ(memory[0x20000 + 9], (PAGE - 1) % 251 + 1);
	/* A region filled exactly: on to the next, through END to the first. */
	CHECK_EQ(write_bytes(&o, 2 * PAGE - 10), 0);
	CHECK_EQ(o.base, TABLE);
	CHECK_EQ(o.mask_ptrs, pointers(0, 0));
}

static void check_second_table(void)
{
	struct pt_output o = fresh();

	set_entry(0, 0, 0x10000);
	set_entry(0, 1, (TABLE + PAGE) | TOPA_END);
	set_entry(1, 0, 0x20000);
	set_entry(1, 1, 0x30000);
	set_entry(1, 2, TABLE | TOPA_END);
	CHECK_EQ(write_bytes(&o, PAGE + 5), 0);
	CHECK_EQ(o.base, TABLE + PAGE);
	CHECK_EQ(o.mask_ptrs, pointers(0, 5));
	/* One write over all regions, around the ring. */
	CHECK_EQ(write_bytes(&o, 3 * PAGE), 0);
	CHECK_EQ(o.base, TABLE + PAGE);
	CHECK_EQ(o.mask_ptrs, pointers(0, 5));
}

static void check_interrupt_and_stop(void)
{
	struct pt_output o = fresh();

	set_entry(0, 0, 0x10000 | TOPA_INT);
	set_entry(0, 1, 0x20000 | TOPA_STOP | TOPA_INT);
	set_entry(0, 2, TABLE | TOPA_END);
	CHECK_EQ(write_bytes(&o, PAGE - 1), 0);
	CHECK_EQ(write_bytes(&o, 1), PT_OUTPUT_PMI);
	CHECK_EQ(o.mask_ptrs, pointers(1, 0));
	CHECK_EQ(write_bytes(&o, PAGE + 100), PT_OUTPUT_STOPPED | PT_OUTPUT_PMI);
	/* The driver expects the offset at the end of the full region. */
	CHECK_EQ(o.mask_ptrs, pointers(1, PAGE));
	CHECK_EQ(memory[0x20000 + PAGE - 1], (PAGE - 1) % 251 + 1);
	CHECK_EQ(memory[0x20000 + PAGE], 0);
}

static void check_errors(void)
{
	struct pt_output o = fresh();

	set_entry(0, 0, TABLE | TOPA_END); /* a table of nothing but itself */
	CHECK_EQ(write_bytes(&o, 1), PT_OUTPUT_ERROR);
	o = fresh();
	set_entry(0, 0, 0x1000 | size_order(4)); /* not aligned to its size */
	CHECK_EQ(write_bytes(&o, 1), PT_OUTPUT_ERROR);
	o = fresh();
	set_entry(0, 0, 0x10000000); /* no memory there */
	CHECK_EQ(write_bytes(&o, 1), PT_OUTPUT_ERROR);
	o = fresh();
	o.base = 0x10000000;
	CHECK_EQ(write_bytes(&o, 1), PT_OUTPUT_ERROR);
}

static void check_single_range(void)
{
	struct pt_output o = {.base = 0x4000, .mask_ptrs = 0xfff};
	uint8_t data[PAGE];

	memset(memory, 0, sizeof(memory));
	memset(data, 7, sizeof(data));
	CHECK_EQ(pt_output__write(&o, false, data, 4000, &ops, NULL), 0);
	CHECK_EQ(o.mask_ptrs, 4000ull << 32 | 0xfff);
	CHECK_EQ(memory[0x4000 + 4000], 0);
	CHECK_EQ(pt_output__write(&o, false, data, 100, &ops, NULL), 0);
	CHECK_EQ(o.mask_ptrs, 4ull << 32 | 0xfff);
	CHECK_EQ(memory[0x4000 + 4095], 7);
	CHECK_EQ(memory[0x5000], 0);
	o.base = 0x4100;
	CHECK_EQ(pt_output__write(&o, false, data, 1, &ops, NULL), PT_OUTPUT_ERROR);
}

int main(void)
{
	check_walk();
	check_second_table();
	check_interrupt_and_stop();
	check_errors();
	check_single_range();
	return check__done();
}
