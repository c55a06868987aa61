// SPDX-License-Identifier: GPL-2.0-only
#include "auxbpf_handler.h"
#include "check.h"

#define TASK 0xffff888000001000
#define OTHER_TASK 0xffff888000002000

static const __u64 unset = 4711;

static void test_pairs(void)
{
	struct auxbpf_handler h = {0};
	__u64 took = unset;

	auxbpf_handler__begin(&h, TASK, 1, 100);
	CHECK(auxbpf_handler__end(&h, TASK, 1, 130, &took));
	CHECK_EQ(took, 30);
	auxbpf_handler__begin(&h, OTHER_TASK, 2, 200);
	CHECK(auxbpf_handler__end(&h, OTHER_TASK, 2, 200, &took));
	CHECK_EQ(took, 0);
}

/* No program was there when the first one began. */
static void test_no_begin(void)
{
	struct auxbpf_handler h = {0};
	__u64 took = unset;

	CHECK(!auxbpf_handler__end(&h, TASK, 1, 100, &took));
	auxbpf_handler__begin(&h, TASK, 1, 200);
	CHECK(auxbpf_handler__end(&h, TASK, 1, 210, &took));
	CHECK_EQ(took, 10);
	took = unset;
	CHECK(!auxbpf_handler__end(&h, TASK, 1, 310, &took));
	CHECK_EQ(took, unset);
}

/*
 * The task is preempted in the middle: another one may have begun, or an end and a begin may have been skipped.
 */
static void test_preempted(void)
{
	struct auxbpf_handler h = {0};
	__u64 took = unset;

	auxbpf_handler__begin(&h, TASK, 1, 100);
	CHECK(!auxbpf_handler__end(&h, TASK, 2, 160, &took));
	CHECK(!auxbpf_handler__end(&h, OTHER_TASK, 1, 165, &took));
	auxbpf_handler__begin(&h, TASK, 2, 200);
	auxbpf_handler__begin(&h, OTHER_TASK, 2, 210);
	CHECK(!auxbpf_handler__end(&h, TASK, 3, 220, &took));
	CHECK(!auxbpf_handler__end(&h, TASK, 2, 225, &took));
	CHECK_EQ(took, unset);
	CHECK(auxbpf_handler__end(&h, OTHER_TASK, 2, 230, &took));
	CHECK_EQ(took, 20);
}

int main(void)
{
	test_pairs();
	test_no_begin();
	test_preempted();
	return check__done();
}
