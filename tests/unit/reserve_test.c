// SPDX-License-Identifier: GPL-2.0-only
/* How large a reserve is, and how much storage there may be. */
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/reserve.h"
#include "check.h"

#define MIB (1ull << 20)

int main(void)
{
	/* No limit, or one that keeps auxbpf from running anyway: the least. */
	CHECK_EQ(reserve__entries(UINT64_MAX, 88), 1024);
	CHECK_EQ(reserve__entries(MIB, 400), 1024);
	/* What is in between takes at most a tenth of the limit. */
	CHECK(reserve__entries(64 * MIB, 400) > 8000);
	CHECK(reserve__entries(64 * MIB, 400) * 400ull < 7 * MIB);
	CHECK_EQ(reserve__entries((64 << 10) * MIB, 800), 16384);
	CHECK_EQ(reserve__storage(UINT64_MAX), AUXBPF_STORAGE_UNLIMITED);
	CHECK_EQ(reserve__storage(64 * MIB), 8 * MIB);
	return check__done();
}
