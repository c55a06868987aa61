// SPDX-License-Identifier: GPL-2.0-only
/*
 * The check of snapshots, what their history has at least: nothing that is newer than the time to look back is
 * missing.
 */
#include "oracle_snapshots_synth.h"

/* The time from one record of the log to the next, and from the first to the last of so many. */
#define TICK 10
#define SPAN(n) (((n)-1) * TICK)

/* Two snapshots of one CPU, which ran 100 branches: those before @end, and those from @begin on. */
static struct fixture *two(unsigned int end, unsigned int begin)
{
	struct fixture *f = fixture(2);

	run_branches(f, 0, 100);
	text_records(f, 0, 0, end);
	text_records(f, 1, begin, 100);
	return f;
}

static void expect_back(struct fixture *f, uint64_t back, int wanted, const char *text)
{
	f->opts.back = back;
	expect(f, wanted, text);
}

static void test_goes_on(void)
{
	expect_back(two(60, 60), SPAN(100), 0, "right, 2 files");
	expect_back(two(60, 61), SPAN(100), 1,
		    "B: cpu 0: WRONG: 1 branches in front of it are in no snapshot");
}

/* The last one that is missing is number 70 of 100. */
static void test_older_is_missing(void)
{
	expect_back(two(60, 70), SPAN(31), 0, "right, 2 files");
	expect_back(two(60, 70), SPAN(31) + 1, 1, "B: cpu 0: WRONG: 10 branches in front of it are in no");
	expect_back(two(60, 70), 0, 0, "right, 2 files");
}

/* The first one begins where the trace does, or goes back for long enough. */
static void test_first(void)
{
	struct fixture *f = fixture(1);

	run_branches(f, 0, 100);
	text_records(f, 0, 1, 100);
	expect_back(f, SPAN(101), 1, "A: cpu 0: WRONG: 1 branches in front");
	f = fixture(1);
	run_branches(f, 0, 100);
	text_records(f, 0, 1, 100);
	f->opts.later = true;
	expect_back(f, SPAN(101), 0, "right, 1 files");
	f = two(60, 61);
	f->opts.later = true;
	expect_back(f, SPAN(101), 1, "B: cpu 0: WRONG: 1 branches in front");
}

/* The branches of the first one ran twice, as one short window is like the other. */
static void test_first_is_twice(void)
{
	struct fixture *f = fixture(2);

	for (int i = 0; i < 2; i++) {
		for (uint64_t at = 0; at < 10; at++)
			synth__add(&f->log, 0, 7, ORACLE_JMP, 0x800 + 8 * at, 0x804 + 8 * at, BOTH);
		run_branches(f, 0, 30);
	}
	text_records(f, 0, 40, 50);
	text_records(f, 1, 50, 80);
	f->opts.later = true;
	expect_back(f, SPAN(101), 0, "right, 2 files");
}

/* The time counts from the newest branch, which is another CPU's. */
static struct fixture *left_early(void)
{
	struct fixture *f = fixture(1);
	unsigned int other;

	run_branches(f, 0, 50);
	other = run_branches(f, 1, 50);
	text_records(f, 0, 20, 50);
	text_records(f, 0, other, other + 50);
	return f;
}

static void test_other_cpu(void)
{
	expect_back(left_early(), SPAN(81), 0, "right, 1 files");
	expect_back(left_early(), SPAN(81) + 1, 1, "A: cpu 0: WRONG: 20 branches in front");
}

/* A snapshot that does not have the CPU leaves what ran there to the next one. */
static void test_left_out(void)
{
	for (unsigned int missing = 0; missing < 2; missing++) {
		struct fixture *f = fixture(3);
		unsigned int other, again;

		run_branches(f, 0, 50);
		other = run_branches(f, 1, 50);
		again = run_branches(f, 0, 50);
		text_records(f, 0, 0, 20);
		text_records(f, 1, other, other + 50);
		text_records(f, 2, 20 + missing, 50);
		text_records(f, 2, again, again + 50);
		expect_back(f, SPAN(200), (int)missing,
			    missing ? "C: cpu 0: WRONG: 1 branches in front" : "right, 3 files");
	}
}

static void test_least(void)
{
	struct fixture *f = two(60, 60);

	f->opts.least = 40;
	expect(f, 0, "right, 2 files");
	f = two(60, 60);
	f->opts.least = 41;
	expect(f, 1, "B: WRONG: 40 branches, at least 41 are to be there");
}

int main(void)
{
	test_goes_on();
	test_older_is_missing();
	test_first();
	test_first_is_twice();
	test_other_cpu();
	test_left_out();
	test_least();
	return check__done();
}
