// SPDX-License-Identifier: GPL-2.0-only
#include "auxbpf_trail.h"
#include "check.h"

/* A task runs on a CPU for 10 ns, ends there at @now, and goes on elsewhere. */
static void run(struct auxbpf_trail *t, __u32 cpu, __u64 now)
{
	auxbpf_trail__note(t, cpu, now - 10, AUXBPF_TRAIL_HERE);
	auxbpf_trail__note(t, cpu, now, now);
}

static bool has(const struct auxbpf_trail *t, __u32 cpu, __u64 now, __u64 lookback)
{
	for (__u32 i = 0; i < AUXBPF_TRAIL; i++)
		if (auxbpf_trail__has(t, i, now, lookback) && t->cpus[i] == cpu)
			return true;
	return false;
}

static int count(const struct auxbpf_trail *t, __u64 now, __u64 lookback)
{
	int nr = 0;

	for (__u32 i = 0; i < AUXBPF_TRAIL; i++)
		nr += auxbpf_trail__has(t, i, now, lookback);
	return nr;
}

static void test_nothing(void)
{
	struct auxbpf_trail t = {0};

	CHECK_EQ(count(&t, 1000, 0), 0);
	CHECK(auxbpf_trail__is_whole(&t, 1000, 0));
}

/* However often a task goes back and forth, where it was before stays known. */
static void test_many_moves(void)
{
	struct auxbpf_trail t = {0};
	__u64 now = 100;

	run(&t, 2, now);
	for (int i = 0; i < 1000; i++)
		run(&t, i % 2, now += 100);
	CHECK_EQ(count(&t, now, 0), 3);
	CHECK(has(&t, 0, now, 0) && has(&t, 1, now, 0) && has(&t, 2, now, 0));
	CHECK(auxbpf_trail__is_whole(&t, now, 0));
	CHECK_EQ(count(&t, now, 50), 1);
	CHECK(has(&t, 1, now, 50));
	CHECK_EQ(count(&t, now, 100), 2);
	CHECK(has(&t, 0, now, 100));
}

static void test_runs_there(void)
{
	struct auxbpf_trail t = {0};

	run(&t, 4, 100);
	auxbpf_trail__note(&t, 5, 200, AUXBPF_TRAIL_HERE);
	CHECK(has(&t, 5, 1000000, 1));
	CHECK(!has(&t, 4, 1000000, 1));
	/* Noted by a CPU whose clock is ahead. */
	auxbpf_trail__note(&t, 5, 300, 300);
	CHECK(has(&t, 5, 299, 1));
}

static void test_first_seen_as_it_leaves(void)
{
	struct auxbpf_trail t = {0};

	auxbpf_trail__note(&t, 7, 100, 100);
	CHECK(has(&t, 7, 150, 50) && !has(&t, 7, 151, 50));
	CHECK(auxbpf_trail__is_whole(&t, 151, 50));
}

/* More CPUs than there is room for: it is known how long something has been forgotten. */
static void test_forgotten(void)
{
	struct auxbpf_trail t = {0};

	run(&t, 1, 100);
	run(&t, AUXBPF_TRAIL + 1, 200);
	CHECK(!has(&t, 1, 200, 0) && has(&t, AUXBPF_TRAIL + 1, 200, 0));
	CHECK(!auxbpf_trail__is_whole(&t, 200, 0));
	CHECK(!auxbpf_trail__is_whole(&t, 200, 100));
	CHECK(auxbpf_trail__is_whole(&t, 201, 100));
	/* One that left longer ago does not make that younger. */
	run(&t, 2 * AUXBPF_TRAIL + 2, 150);
	run(&t, 3 * AUXBPF_TRAIL + 2, 300);
	CHECK(!auxbpf_trail__is_whole(&t, 300, 150));
	CHECK(auxbpf_trail__is_whole(&t, 301, 150));
	/* Its end there was not seen. */
	auxbpf_trail__note(&t, 3, 400, AUXBPF_TRAIL_HERE);
	auxbpf_trail__note(&t, AUXBPF_TRAIL + 3, 500, AUXBPF_TRAIL_HERE);
	CHECK(!auxbpf_trail__is_whole(&t, 500, 1));
	CHECK(auxbpf_trail__is_whole(&t, 502, 1));
}

/* Up to as many CPUs as there are places all are known. */
static void test_all_places(void)
{
	struct auxbpf_trail t = {0};
	__u64 now = 0;

	for (__u32 round = 0; round < 3; round++)
		for (__u32 cpu = 0; cpu < AUXBPF_TRAIL; cpu++)
			run(&t, cpu, now += 100);
	CHECK_EQ(count(&t, now, 0), AUXBPF_TRAIL);
	CHECK(auxbpf_trail__is_whole(&t, now, 0));
}

int main(void)
{
	test_nothing();
	test_many_moves();
	test_runs_there();
	test_first_seen_as_it_leaves();
	test_forgotten();
	test_all_places();
	return check__done();
}
