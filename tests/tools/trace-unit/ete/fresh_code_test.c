// SPDX-License-Identifier: GPL-2.0-only
/* Finds translations of code that has changed in memory since, and only these. */
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

/* The time of the test: it goes on, so what one case leaves is looked at for the last time before the next. */
static uint64_t start;

static void fill(void)
{
	uint64_t unused;

	for (int look = 0; look < 4; look++) {
		start += 2000 * MILLISECONDS;
		while (fresh_code__find_stale(start, &unused))
			;
	}
	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = (uint8_t)i;
}

/* The store may be done at any time up to two seconds later. */
static void test_late_store(void)
{
	static const uint64_t stores[] = {0, 1, 3, 30, 300, 2000};
	uint64_t address;

	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		uint64_t now;

		fill();
		translate(8, 12, start);
		now = start + stores[i] * MILLISECONDS;
		CHECK(!fresh_code__find_stale(now, &address));
		memory[12] ^= 1;
		now += 2300 * MILLISECONDS;
		CHECK(fresh_code__find_stale(now, &address));
		CHECK_EQ(address, CODE + 11);
		CHECK(!fresh_code__find_stale(now, &address));
		start = now + 5000 * MILLISECONDS;
		CHECK(!fresh_code__find_stale(start, &address));
	}
}

/* It is looked at soon, and not before it is due. */
static void test_soon(void)
{
	uint64_t address;

	fill();
	translate(0, 4, start);
	memory[0] ^= 1;
	CHECK(!fresh_code__find_stale(start + 2 * MILLISECONDS - 1, &address));
	CHECK(fresh_code__find_stale(start + 2 * MILLISECONDS, &address));
	CHECK_EQ(address, CODE + 1);
}

/* An address is that of a byte that has not changed, if there is one. */
static void test_address(void)
{
	uint64_t address;

	fill();
	translate(0, 4, start);
	translate(16, 4, start);
	translate(32, 8, start);
	memset(memory, 0xff, 4);
	memset(memory + 32, 0xff, 7);
	CHECK(fresh_code__find_stale(start + 3 * MILLISECONDS, &address));
	CHECK_EQ(address, CODE);
	CHECK(fresh_code__find_stale(start + 3 * MILLISECONDS, &address));
	CHECK_EQ(address, CODE + 39);
	CHECK(!fresh_code__find_stale(start + 3 * MILLISECONDS, &address));
}

/* Memory that is used for something else is left alone: what is written there might not be what the guest wrote last. */
static void test_reused(void)
{
	uint64_t address;

	fill();
	translate(0, 64, start);
	memset(memory + 8, 0xff, 8);
	CHECK(fresh_code__find_stale(start + 3 * MILLISECONDS, &address));
	CHECK_EQ(address, CODE + 7);
	fill();
	translate(0, 64, start);
	memset(memory + 8, 0xff, 9);
	CHECK(!fresh_code__find_stale(start + 3 * MILLISECONDS, &address));
}

/* After the last look it may change. */
static void test_old(void)
{
	uint64_t address;

	fill();
	translate(0, 64, start);
	for (int i = 0; i < 4; i++) {
		start += 2000 * MILLISECONDS;
		CHECK(!fresh_code__find_stale(start, &address));
	}
	memory[0] ^= 1;
	start += 10000 * MILLISECONDS;
	CHECK(!fresh_code__find_stale(start, &address));
}

int main(void)
{
	test_late_store();
	test_soon();
	test_address();
	test_reused();
	test_old();
	return check__done();
}
