// SPDX-License-Identifier: GPL-2.0-only
/* The pointer, the status and what reaches memory, in each mode. */
#include "trbe.h"

#include "check.h"

#define BASE 0xffff800010000000ull
#define SIZE 0x2000u

static struct trbe trbe;
static uint8_t memory[SIZE];
static bool unreachable;

static int write_memory(void *opaque, uint64_t address, const void *from, size_t size)
{
	if (unreachable)
		return -1;
	CHECK(address >= BASE && address + size <= BASE + SIZE);
	CHECK_EQ(address / 4096, (address + size - 1) / 4096);
	memcpy(memory + (address - BASE), from, size);
	return 0;
}

static void begin(uint64_t mode, uint64_t pointer)
{
	memset(memory, 0, sizeof(memory));
	unreachable = false;
	trbe__init(&trbe);
	CHECK(!trbe__accepts(&trbe));
	trbe__write(&trbe, TRBE_BASER, BASE);
	trbe__write(&trbe, TRBE_PTR, BASE + pointer);
	trbe__write(&trbe, TRBE_SR, 0);
	trbe__write(&trbe, TRBE_LIMITR, (BASE + SIZE) | mode | TRBLIMITR_E);
	CHECK(trbe__accepts(&trbe));
	CHECK_EQ(trbe__room(&trbe), SIZE - pointer);
}

static void put(uint8_t value, size_t size)
{
	uint8_t bytes[SIZE];

	memset(bytes, value, size);
	trbe__put(&trbe, bytes, size);
}

static void drain(void)
{
	trbe__drain(&trbe, write_memory, NULL);
}

static void check_fill(void)
{
	begin(TRBLIMITR_FM_FILL, 0x1000 - 16);
	CHECK(trbe__stops_when_full(&trbe));
	put(1, 32);
	CHECK_EQ(trbe__read(&trbe, TRBE_PTR), BASE + 0x1010);
	CHECK_EQ(memory[0xff0], 0); /* memory is written when it is drained */
	drain();
	CHECK_EQ(memory[0xfef], 0);
	CHECK_EQ(memory[0xff0], 1);
	CHECK_EQ(memory[0x100f], 1);
	CHECK(!trbe__irq(&trbe));
	put(2, 0x1000); /* 16 too many */
	CHECK(!trbe__accepts(&trbe) && trbe__irq(&trbe));
	CHECK_EQ(trbe__read(&trbe, TRBE_PTR), BASE);
	CHECK_EQ(trbe__read(&trbe, TRBE_SR), TRBSR_IRQ | TRBSR_WRAP | TRBSR_S | TRBSR_BSC_FILLED);
	put(3, 16); /* not taken */
	drain();
	CHECK_EQ(memory[0x1010], 2);
	CHECK_EQ(memory[0x1fff], 2);
	CHECK_EQ(memory[0], 0);
	CHECK_EQ(trbe.written, 32 + 0xff0);
	trbe__free(&trbe);
}

static void check_exactly_full(void)
{
	begin(TRBLIMITR_FM_FILL, 0);
	put(1, SIZE - 1);
	CHECK(trbe__accepts(&trbe));
	put(2, 1);
	CHECK(!trbe__accepts(&trbe));
	drain();
	CHECK_EQ(memory[SIZE - 1], 2);
	/* The driver's answer: all bits off, another limit, on. */
	trbe__write(&trbe, TRBE_LIMITR, BASE + SIZE);
	trbe__write(&trbe, TRBE_SR, 0);
	trbe__write(&trbe, TRBE_PTR, BASE);
	trbe__write(&trbe, TRBE_LIMITR, (BASE + 0x1000) | TRBLIMITR_E);
	CHECK(trbe__accepts(&trbe) && !trbe__irq(&trbe));
	CHECK_EQ(trbe__room(&trbe), 0x1000);
	put(3, 1);
	drain();
	CHECK_EQ(memory[0], 3);
	trbe__free(&trbe);
}

static void check_wrap(uint64_t mode, bool irq)
{
	begin(mode, SIZE - 8);
	CHECK(!trbe__stops_when_full(&trbe));
	put(1, 4);
	put(2, 12);
	CHECK(trbe__accepts(&trbe));
	CHECK_EQ(trbe__irq(&trbe), irq);
	CHECK(trbe__read(&trbe, TRBE_SR) & TRBSR_WRAP);
	CHECK_EQ(trbe__read(&trbe, TRBE_PTR), BASE + 8);
	drain();
	CHECK_EQ(memory[SIZE - 1], 2);
	CHECK_EQ(memory[0], 2);
	CHECK_EQ(memory[7], 2);
	CHECK_EQ(memory[8], 0);
	put(3, SIZE);
	drain();
	CHECK_EQ(trbe__read(&trbe, TRBE_PTR), BASE + 8);
	CHECK_EQ(memory[SIZE - 8], 3);
	trbe__free(&trbe);
}

static void check_fault(void)
{
	begin(TRBLIMITR_FM_FILL, 0);
	put(1, 8);
	unreachable = true;
	drain();
	CHECK(!trbe__accepts(&trbe) && trbe__irq(&trbe));
	trbe__free(&trbe);
	/* A limit below the base, as no driver sets it. */
	begin(TRBLIMITR_FM_CBUF, 0);
	trbe__write(&trbe, TRBE_LIMITR, (BASE - 0x1000) | TRBLIMITR_FM_CBUF | TRBLIMITR_E);
	put(1, 8);
	CHECK(!trbe__accepts(&trbe));
	trbe__free(&trbe);
}

static void check_identification(void)
{
	trbe__init(&trbe);
	trbe__write(&trbe, TRBE_IDR, 0xff);
	CHECK_EQ(trbe__read(&trbe, TRBE_IDR) & 0x1f, 0); /* any alignment, and not another level's */
}

int main(void)
{
	check_fill();
	check_exactly_full();
	check_wrap(TRBLIMITR_FM_WRAP, true);
	check_wrap(TRBLIMITR_FM_CBUF, false);
	check_fault();
	check_identification();
	return check__done();
}
