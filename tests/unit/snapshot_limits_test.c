// SPDX-License-Identifier: GPL-2.0-only
/* Each limit alone, at its edges; several together; and that what is refused is counted. */
#include "check.h"
#include "snapshot/snapshot_limits.h"

#define MS UINT64_C(1000000)

static const struct snapshot_room roomy = {.free = UINT64_MAX / 2};

static struct snapshot_limits *begin(struct snapshot_limits_opts opts)
{
	struct snapshot_limits *limits;

	opts.nr_rules = 3;
	if (snapshot_limits__new(&opts, &limits))
		exit(1);
	return limits;
}

/* Takes it if it may. */
static enum snapshot_verdict try(struct snapshot_limits *limits, unsigned int rule, uint64_t now)
{
	enum snapshot_verdict verdict = snapshot_limits__ask(limits, rule, now, &roomy);

	if (verdict == SNAPSHOT_TAKE)
		snapshot_limits__took(limits, rule, now);
	return verdict;
}

static void test_no_limits(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){0});
	const struct snapshot_room full = {.used = 1 << 30, .free = 0, .need = 1 << 20};

	for (unsigned int i = 0; i < 1000; i++)
		CHECK_EQ(try(limits, i % 3, 5), SNAPSHOT_TAKE);
	CHECK_EQ(snapshot_limits__ask(limits, 0, 0, &full), SNAPSHOT_TAKE);
	CHECK_EQ(snapshot_limits__excess(limits, &full), 0);
	CHECK_EQ(snapshot_limits__count(limits, 0, SNAPSHOT_TAKE), 334);
}

static void test_cool_down(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){.cool_down = 100 * MS});

	CHECK_EQ(try(limits, 0, 0), SNAPSHOT_TAKE); /* the clock may begin at 0 */
	CHECK_EQ(try(limits, 0, 0), SNAPSHOT_COOL_DOWN);
	CHECK_EQ(try(limits, 0, 100 * MS - 1), SNAPSHOT_COOL_DOWN);
	CHECK_EQ(try(limits, 1, 50 * MS), SNAPSHOT_TAKE); /* each rule for itself */
	CHECK_EQ(try(limits, 0, 100 * MS), SNAPSHOT_TAKE);
	/* What was refused does not make it longer. */
	CHECK_EQ(try(limits, 1, 149 * MS), SNAPSHOT_COOL_DOWN);
	CHECK_EQ(try(limits, 1, 150 * MS), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 1, 140 * MS), SNAPSHOT_COOL_DOWN); /* from before */
	CHECK_EQ(snapshot_limits__count(limits, 0, SNAPSHOT_COOL_DOWN), 2);
	CHECK_EQ(snapshot_limits__count(limits, 1, SNAPSHOT_COOL_DOWN), 2);
	CHECK_EQ(snapshot_limits__count(limits, 2, SNAPSHOT_COOL_DOWN), 0);
	CHECK_EQ(snapshot_limits__count(limits, 0, SNAPSHOT_TAKE), 2);
}

static void test_rate(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){.per_second = 4});
	const uint64_t start = 5000 * MS;

	for (unsigned int i = 0; i < 3; i++)
		CHECK_EQ(try(limits, i, start), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 0, start - 100 * MS), SNAPSHOT_TAKE); /* of another CPU, a little late */
	CHECK_EQ(try(limits, 0, start), SNAPSHOT_RATE);
	CHECK_EQ(try(limits, 0, start - 50 * MS), SNAPSHOT_RATE);
	CHECK_EQ(try(limits, 0, start + 250 * MS - 1), SNAPSHOT_RATE);
	CHECK_EQ(try(limits, 1, start + 250 * MS), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 1, start + 250 * MS), SNAPSHOT_RATE);
	CHECK_EQ(try(limits, 1, start + 750 * MS), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 1, start + 750 * MS), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 1, start + 750 * MS), SNAPSHOT_RATE);
	/* However long it was quiet, no more than a second's worth comes at once. */
	for (unsigned int i = 0; i < 4; i++)
		CHECK_EQ(try(limits, 2, start + 60000 * MS), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 2, start + 60000 * MS), SNAPSHOT_RATE);
	CHECK_EQ(snapshot_limits__count(limits, 0, SNAPSHOT_RATE), 3);
}

/* 10 a second, asked at 100 a second: in the long run the rate is kept. */
static void test_long_run(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){.per_second = 10});
	unsigned int taken = 0;

	for (uint64_t now = 0; now < 60000 * MS; now += 10 * MS)
		taken += try(limits, 0, now) == SNAPSHOT_TAKE;
	CHECK(taken >= 600 && taken <= 610);
	CHECK_EQ(snapshot_limits__count(limits, 0, SNAPSHOT_TAKE), taken);
	CHECK_EQ(snapshot_limits__count(limits, 0, SNAPSHOT_RATE), 6000 - taken);
}

/*
 * One rule holds 300 times a second and its cool-down allows more than the rate; another one holds once in
 * @gap. How many of 8 snapshots the other one gets, and how many both together.
 */
static unsigned int share_with_busy(unsigned int per_second, uint64_t gap, unsigned int *all)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){.cool_down = 50 * MS, .per_second = per_second});
	unsigned int rare = 0;

	for (uint64_t now = 0, i = 0; now < 8 * gap; now += 10 * MS / 3, i++) {
		(void)!try(limits, 0, now);
		if (now % gap < 10 * MS / 3)
			rare += try(limits, 1, now + MS) == SNAPSHOT_TAKE;
	}
	*all = rare + (unsigned int)snapshot_limits__count(limits, 0, SNAPSHOT_TAKE);
	return rare;
}

static void test_busy_and_rare(void)
{
	unsigned int all;

	CHECK_EQ(share_with_busy(10, 1000 * MS, &all), 8);
	CHECK(all >= 80 && all <= 100); /* of 8 s: the busy rule has all the rest, and the rate is kept */
	CHECK_EQ(share_with_busy(1, 10000 * MS, &all), 8);
	CHECK(all >= 79 && all <= 82);
}

/* Each of two that both want more than all gets about as much as the other. */
static void test_both_busy(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){.per_second = 6});
	uint64_t second;

	for (uint64_t now = 0; now < 60000 * MS; now += MS) {
		(void)!try(limits, 0, now);
		(void)!try(limits, 1, now);
	}
	second = snapshot_limits__count(limits, 1, SNAPSHOT_TAKE);
	CHECK(second >= 119); /* its share is 2 of the 6 a second: there might be a third rule */
	CHECK(second + snapshot_limits__count(limits, 0, SNAPSHOT_TAKE) <= 372);
}

/* Whoever goes first, no more come at once than in two seconds otherwise. */
static void test_many_at_once(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){.per_second = 1});

	CHECK_EQ(try(limits, 0, 0), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 1, 0), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 2, 0), SNAPSHOT_RATE);
	CHECK_EQ(try(limits, 0, 1000 * MS), SNAPSHOT_RATE); /* it has had its share */
	CHECK_EQ(try(limits, 2, 1000 * MS), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 0, 2999 * MS), SNAPSHOT_RATE);
	CHECK_EQ(try(limits, 0, 3000 * MS), SNAPSHOT_TAKE);
}

static void test_count(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){.max_count = 2});

	CHECK_EQ(try(limits, 0, 1), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 1, 2), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 2, 3000 * MS), SNAPSHOT_COUNT);
	CHECK_EQ(snapshot_limits__count(limits, 2, SNAPSHOT_COUNT), 1);
}

static enum snapshot_verdict ask(struct snapshot_limits *limits, uint64_t used, uint64_t free_bytes,
				 uint64_t need)
{
	const struct snapshot_room room = {.used = used, .free = free_bytes, .need = need};

	return snapshot_limits__ask(limits, 0, 0, &room);
}

static enum snapshot_verdict fits(const struct snapshot_limits *limits, uint64_t used, uint64_t free_bytes,
				  uint64_t need)
{
	const struct snapshot_room room = {.used = used, .free = free_bytes, .need = need};

	return snapshot_limits__fits(limits, &room);
}

static uint64_t excess(const struct snapshot_limits *limits, uint64_t used, uint64_t free_bytes,
		       uint64_t need)
{
	const struct snapshot_room room = {.used = used, .free = free_bytes, .need = need};

	return snapshot_limits__excess(limits, &room);
}

static void test_bytes(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *stop =
		begin((struct snapshot_limits_opts){.max_bytes = 100});
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *oldest =
		begin((struct snapshot_limits_opts){.max_bytes = 100, .remove_oldest = true});

	CHECK_EQ(ask(stop, 90, 0, 10), SNAPSHOT_TAKE);
	CHECK_EQ(ask(stop, 91, 0, 10), SNAPSHOT_BYTES);
	CHECK_EQ(ask(stop, 300, 0, 0), SNAPSHOT_BYTES);
	CHECK_EQ(excess(stop, 91, 0, 10), 0);
	CHECK_EQ(ask(oldest, 91, 0, 10), SNAPSHOT_TAKE);
	CHECK_EQ(excess(oldest, 91, 0, 10), 1);
	CHECK_EQ(excess(oldest, 90, 0, 10), 0);
	CHECK_EQ(ask(oldest, 100, 0, 100), SNAPSHOT_TAKE);
	CHECK_EQ(excess(oldest, 100, 0, 100), 100);
	CHECK_EQ(ask(oldest, 0, 0, 101), SNAPSHOT_BYTES); /* alone too large */
	CHECK_EQ(fits(oldest, 91, 0, 10), SNAPSHOT_BYTES);
	CHECK_EQ(fits(oldest, 90, 0, 10), SNAPSHOT_TAKE);
	CHECK_EQ(snapshot_limits__count(stop, 0, SNAPSHOT_BYTES), 2);
}

/* What stays takes room, but cannot make any. */
static void test_index(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *oldest =
		begin((struct snapshot_limits_opts){.max_bytes = 100, .remove_oldest = true});
	const struct snapshot_room some = {.used = 60, .index = 40, .need = 60};
	const struct snapshot_room most = {.used = 20, .index = 80, .need = 21};

	CHECK_EQ(snapshot_limits__excess(oldest, &some), 60);
	CHECK_EQ(snapshot_limits__ask(oldest, 0, 0, &some), SNAPSHOT_TAKE);
	CHECK_EQ(snapshot_limits__excess(oldest, &most), 21);
	CHECK_EQ(snapshot_limits__ask(oldest, 0, 0, &most), SNAPSHOT_BYTES);
}

static void test_disk(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *stop =
		begin((struct snapshot_limits_opts){.keep_free = 1000});
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *oldest = begin(
		(struct snapshot_limits_opts){.keep_free = 1000, .max_bytes = 100, .remove_oldest = true});

	CHECK_EQ(ask(stop, 500, 1010, 10), SNAPSHOT_TAKE);
	CHECK_EQ(ask(stop, 500, 1009, 10), SNAPSHOT_DISK);
	CHECK_EQ(ask(stop, 500, 0, 0), SNAPSHOT_DISK);
	CHECK_EQ(ask(oldest, 5, 1005, 10), SNAPSHOT_TAKE);
	CHECK_EQ(excess(oldest, 5, 1005, 10), 5);
	CHECK_EQ(ask(oldest, 4, 1005, 10), SNAPSHOT_DISK);
	CHECK_EQ(excess(oldest, 95, 1008, 10), 5);	      /* the larger of the two */
	CHECK_EQ(fits(oldest, 95, 1008, 10), SNAPSHOT_BYTES); /* the first of the two */
	CHECK_EQ(fits(oldest, 90, 1008, 10), SNAPSHOT_DISK);
	CHECK_EQ(excess(oldest, 95, 1001, 10), 9);
	CHECK_EQ(snapshot_limits__count(stop, 0, SNAPSHOT_DISK), 2);
}

/* One reason is told, and a trigger that is refused costs nothing of the other limits. */
static void test_together(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){.cool_down = 10 * MS, .per_second = 2, .max_count = 3});

	CHECK_EQ(try(limits, 0, 0), SNAPSHOT_TAKE);
	for (unsigned int i = 0; i < 10; i++)
		CHECK_EQ(try(limits, 0, 1), SNAPSHOT_COOL_DOWN);
	CHECK_EQ(try(limits, 1, 2), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 1, 3), SNAPSHOT_COOL_DOWN);
	CHECK_EQ(try(limits, 0, 20 * MS), SNAPSHOT_RATE);
	CHECK_EQ(try(limits, 2, 2000 * MS), SNAPSHOT_TAKE);
	CHECK_EQ(try(limits, 0, 4000 * MS), SNAPSHOT_COUNT);
	CHECK_EQ(snapshot_limits__count(limits, 0, SNAPSHOT_COOL_DOWN), 10);
	CHECK_EQ(snapshot_limits__count(limits, 0, SNAPSHOT_RATE), 1);
}

static void test_reasons(void)
{
	for (unsigned int i = 0; i < SNAPSHOT_VERDICTS; i++)
		CHECK(snapshot_limits__reason((enum snapshot_verdict)i));
}

/* Whatever is told, that moment is the first one that is not refused. */
static void test_quiet(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){.cool_down = 100 * MS, .per_second = 4, .max_count = 12});
	enum snapshot_verdict why;
	uint64_t now = 7 * MS, until;

	CHECK_EQ(snapshot_limits__quiet_until(limits, 0, now, &why), now);
	CHECK_EQ(why, SNAPSHOT_TAKE);
	for (unsigned int i = 0; i < 12; i++) {
		CHECK_EQ(try(limits, 0, now), SNAPSHOT_TAKE);
		until = snapshot_limits__quiet_until(limits, 0, now, &why);
		if (i == 11)
			break;
		CHECK_EQ(why, i < 5 ? SNAPSHOT_COOL_DOWN : SNAPSHOT_RATE);
		CHECK(try(limits, 0, until - 1) != SNAPSHOT_TAKE);
		now = until;
	}
	CHECK_EQ(until, UINT64_MAX);
	CHECK_EQ(why, SNAPSHOT_COUNT);
	CHECK_EQ(try(limits, 0, now + 1000 * MS), SNAPSHOT_COUNT);
	snapshot_limits__add(limits, 0, SNAPSHOT_COUNT, 41);
	CHECK_EQ(snapshot_limits__count(limits, 0, SNAPSHOT_COUNT), 42);
}

/* With another rule that takes, too; and for a rule whose turn comes before the rest of the second. */
static void test_quiet_beside_another(void)
{
	_cleanup_(cleanup__snapshot_limits) struct snapshot_limits *limits =
		begin((struct snapshot_limits_opts){.per_second = 4});
	enum snapshot_verdict why;
	uint64_t until;

	CHECK_EQ(try(limits, 1, 0), SNAPSHOT_TAKE);
	for (uint64_t now = 0; now < 700 * MS; now += MS)
		(void)!try(limits, 0, now);
	CHECK_EQ(try(limits, 2, 700 * MS), SNAPSHOT_TAKE); /* its first one, of the second to come */
	until = snapshot_limits__quiet_until(limits, 1, 700 * MS, &why);
	CHECK_EQ(until, 750 * MS);
	CHECK_EQ(why, SNAPSHOT_RATE);
	CHECK_EQ(try(limits, 1, until - 1), SNAPSHOT_RATE);
	CHECK_EQ(try(limits, 1, until), SNAPSHOT_TAKE);
	until = snapshot_limits__quiet_until(limits, 0, until, &why);
	CHECK_EQ(try(limits, 0, until - 1), SNAPSHOT_RATE);
	CHECK_EQ(try(limits, 0, until), SNAPSHOT_TAKE);
}

int main(void)
{
	test_no_limits();
	test_cool_down();
	test_quiet();
	test_quiet_beside_another();
	test_rate();
	test_long_run();
	test_busy_and_rare();
	test_both_busy();
	test_many_at_once();
	test_count();
	test_bytes();
	test_index();
	test_disk();
	test_together();
	test_reasons();
	return check__done();
}
