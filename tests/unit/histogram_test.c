// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "calls/histogram.h"
#include "check.h"

/* Each percentile is within a sixteenth of what it stands for, over the whole range of durations. */
static void test_precision(void)
{
	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t around[] = {1ull << bit, (1ull << bit) - 1, (1ull << bit) + (1ull << bit) / 3};

		for (size_t i = 0; i < 3; i++) {
			struct histogram h = {0};
			uint64_t got;

			/* The least and the most are exact, so that they must not be what is asked for. */
			histogram__add(&h, 0);
			histogram__add(&h, around[i]);
			histogram__add(&h, UINT64_MAX);
			got = histogram__permille(&h, 500);
			CHECK(got >= around[i] - around[i] / 16 && got - around[i] / 16 <= around[i]);
		}
	}
}

static void test_percentiles(void)
{
	struct histogram h = {0};

	CHECK_EQ(histogram__permille(&h, 500), 0);
	for (uint64_t i = 1; i <= 1000; i++)
		histogram__add(&h, i * 1000);
	CHECK_EQ(h.nr, 1000);
	CHECK_EQ(h.min, 1000);
	CHECK_EQ(h.max, 1000000);
	CHECK(llabs((long long)histogram__permille(&h, 500) - 500000) <= 500000 / 16);
	CHECK(llabs((long long)histogram__permille(&h, 990) - 990000) <= 990000 / 16);
	CHECK(histogram__permille(&h, 0) >= 1000 && histogram__permille(&h, 0) <= 1000 + 1000 / 16);
	CHECK(histogram__permille(&h, 1000) <= 1000000 &&
	      histogram__permille(&h, 1000) >= 1000000 - 1000000 / 16);
}

static void test_one(void)
{
	struct histogram h = {0};

	histogram__add(&h, 12345);
	CHECK_EQ(histogram__permille(&h, 1), 12345);
	CHECK_EQ(histogram__permille(&h, 500), 12345);
	CHECK_EQ(histogram__permille(&h, 999), 12345);
}

int main(void)
{
	test_precision();
	test_percentiles();
	test_one();
	return check__done();
}
