// SPDX-License-Identifier: GPL-2.0-only
#include "base/pid_set.h"
#include "check.h"

int main(void)
{
	static const uint32_t in[] = {1, 7, 8, 4194303, 300, 300};
	static const uint32_t out[] = {0, 2, 6, 9, 299, 301, 4194302, 4194304, UINT32_MAX};
	struct pid_set set = {0};

	CHECK(!pid_set__has(&set, 0));
	for (size_t i = 0; i < ARRAY_SIZE(in); i++)
		CHECK_EQ(pid_set__add(&set, in[i]), 0);
	/* Of a task that ends the kernel says -1. */
	CHECK_EQ(pid_set__add(&set, UINT32_MAX), 0);
	for (size_t i = 0; i < ARRAY_SIZE(in); i++)
		CHECK(pid_set__has(&set, in[i]));
	for (size_t i = 0; i < ARRAY_SIZE(out); i++)
		CHECK(!pid_set__has(&set, out[i]));
	CHECK_EQ(set.bits.len, 4194304 / 8);
	pid_set__release(&set);
	CHECK(!pid_set__has(&set, 1));
	return check__done();
}
