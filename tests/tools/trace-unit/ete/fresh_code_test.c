// SPDX-License-Identifier: GPL-2.0-only
/* What was translated and is not what is in memory a while later. */
#include "fresh_code.h"

#include "check.h"

#define MILLISECONDS 1000000ull
#define CODE 0xffff800080010000ull

static uint8_t memory[64];

/* Translates memory[@at] and what follows at @now. */
static void translate(size_t at, size_t size, uint64_t now)
{
	fresh_code__add(CODE + at, memory + at, memory + at, size, now);
}

static void fill(void)
{
	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = (uint8_t)i;
	fresh_code__clear();
}

/* The store may be done at any time up to two seconds later. */
static void test_late_store(void)
{
	static const uint64_t stores[] = {0, 1, 3, 30, 300, 2000};
	uint64_t address;

	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		uint64_t now = 1000;

		fill();
		translate(8, 12, now);
		now += stores[i] * MILLISECONDS;
		CHECK(!fresh_code__find_stale(now, &address));
		memory[12] ^= 1;
		now += 2300 * MILLISECONDS;
		CHECK(fresh_code__find_stale(now, &address));
		CHECK_EQ(address, CODE + 11);
		CHECK(!fresh_code__find_stale(now, &address));
		CHECK(!fresh_code__find_stale(now + 5000 * MILLISECONDS, &address));
	}
}

/* It is looked at soon, and not before it is due. */
static void test_soon(void)
{
	uint64_t address;

	fill();
	translate(0, 4, 0);
	memory[0] ^= 1;
	CHECK(!fresh_code__find_stale(2 * MILLISECONDS - 1, &address));
	CHECK(fresh_code__find_stale(2 * MILLISECONDS, &address));
	CHECK_EQ(address, CODE + 1);
}

/* An address is that of a byte that has not changed, if there is one. */
static void test_address(void)
{
	uint64_t address;

	fill();
	translate(0, 4, 0);
	translate(16, 4, 0);
	translate(32, 8, 0);
	memset(memory, 0xff, 4);
	memset(memory + 32, 0xff, 7);
	CHECK(fresh_code__find_stale(3 * MILLISECONDS, &address));
	CHECK_EQ(address, CODE);
	CHECK(fresh_code__find_stale(3 * MILLISECONDS, &address));
	CHECK_EQ(address, CODE + 39);
	CHECK(!fresh_code__find_stale(3 * MILLISECONDS, &address));
}

/* Memory that is used for something else is left alone: what is written there might not be what the guest wrote last. */
static void test_reused(void)
{
	uint64_t address;

	fill();
	translate(0, 64, 0);
	memset(memory + 8, 0xff, 8);
	CHECK(fresh_code__find_stale(3 * MILLISECONDS, &address));
	CHECK_EQ(address, CODE + 7);
	fill();
	translate(0, 64, 0);
	memset(memory + 8, 0xff, 9);
	CHECK(!fresh_code__find_stale(3 * MILLISECONDS, &address));
}

/* After the last look it may change. */
static void test_old(void)
{
	uint64_t address, now = 0;

	fill();
	translate(0, 64, now);
	for (int i = 0; i < 4; i++) {
		now += 2000 * MILLISECONDS;
		CHECK(!fresh_code__find_stale(now, &address));
	}
	memory[0] ^= 1;
	CHECK(!fresh_code__find_stale(now + 10000 * MILLISECONDS, &address));
}

int main(void)
{
	test_late_store();
	test_soon();
	test_address();
	test_reused();
	test_old();
	fresh_code__clear();
	return check__done();
}
