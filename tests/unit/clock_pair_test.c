// SPDX-License-Identifier: GPL-2.0-only
/* Times of one clock by another that runs a little faster or slower. */
#include "check.h"
#include "perfdata/clock_pair.h"

int main(void)
{
	const struct clock_pair from = {1000000000, 5000000000}, to = {11000000000, 15001000000};

	/* 100 ppm faster. */
	CHECK_EQ(clock_pair__between(&from, &to, 11000000000), 15001000000);
	CHECK_EQ(clock_pair__between(&from, &to, 1000000000), 5000000000);
	CHECK_EQ(clock_pair__between(&from, &to, 10000000000), 14000900000);
	CHECK_EQ(clock_pair__between(&from, &to, 12000000000), 16001100000);
	/* Before the first as well, and where nothing has passed between the two. */
	CHECK_EQ(clock_pair__between(&from, &to, 0), 3999900000);
	CHECK_EQ(clock_pair__between(&from, &from, 900000000), 4900000000);
	CHECK_EQ(clock_pair__to_perf(&to, 10000000000), 14001000000);
	/* Years, and clocks of which the other is behind. */
	const struct clock_pair young = {UINT64_C(100000000000000000), 10},
				old = {UINT64_C(200000000000000000), UINT64_C(100000000000000010)};

	CHECK_EQ(clock_pair__between(&young, &old, UINT64_C(150000000000000000)),
		 UINT64_C(50000000000000010));
	return check__done();
}
