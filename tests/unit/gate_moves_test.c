// SPDX-License-Identifier: GPL-2.0-only
/* When a gate was open, by its moves as they lie in a ring that is written round. */
#include "check.h"
#include "gate/gate_moves.h"
#include "perfdata/record.h"

#define OPENED(time) ((uint64_t)(time) << 1 | 1)
#define CLOSED(time) ((uint64_t)(time) << 1)

static void test_none(void)
{
	uint64_t ring[4] = {0};
	struct gate_moves moves;

	gate_moves__sort(ring, 4, &moves);
	CHECK_EQ(moves.nr, 0);
	CHECK_EQ(gate_moves__since(&moves), 0);
	CHECK(!gate_moves__was_open(&moves, 5));
}

static void test_not_full(void)
{
	uint64_t ring[4] = {OPENED(10), CLOSED(20), OPENED(30)};
	struct gate_moves moves;

	gate_moves__sort(ring, 4, &moves);
	CHECK_EQ(moves.nr, 3);
	CHECK_EQ(gate_moves__since(&moves), 0);
	CHECK(!gate_moves__was_open(&moves, 9));
	CHECK(gate_moves__was_open(&moves, 10));
	CHECK(gate_moves__was_open(&moves, 19));
	CHECK(!gate_moves__was_open(&moves, 20));
	CHECK(!gate_moves__was_open(&moves, 29));
	CHECK(gate_moves__was_open(&moves, 1000));
}

/* At each place that the next move may come to. */
static void test_written_round(void)
{
	for (size_t next = 0; next < 4; next++) {
		const uint64_t in_order[] = {CLOSED(20), OPENED(30), CLOSED(40), OPENED(50)};
		uint64_t ring[4];
		struct gate_moves moves;

		for (size_t i = 0; i < 4; i++)
			ring[(next + i) % 4] = in_order[i];
		gate_moves__sort(ring, 4, &moves);
		CHECK_EQ(moves.nr, 4);
		CHECK_EQ(gate_moves__since(&moves), 20);
		/* What was before the oldest is not known. */
		CHECK(!gate_moves__was_open(&moves, 15));
		CHECK(!gate_moves__was_open(&moves, 25));
		CHECK(gate_moves__was_open(&moves, 35));
		CHECK(!gate_moves__was_open(&moves, 45));
		CHECK(gate_moves__was_open(&moves, 55));
	}
}

#define SAMPLE_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

static void add_record(struct buf *b, uint32_t type, uint64_t time)
{
	size_t at = record__begin(b, type, 0);

	buf__add_u64(b, 0);
	buf__add_u64(b, 0); /* tid */
	buf__add_u64(b, time);
	buf__add_u64(b, 0); /* CPU */
	buf__add_u64(b, 0); /* identifier */
	record__end(b, at, 0);
}

/* The times of switches, one each 10 ns from 10 to 200 and an EXIT each 50, that are left. */
static void check_left(const struct gate_moves *moves, uint64_t slack, uint64_t now, const uint64_t *left,
		       size_t nr)
{
	_cleanup_buf_ struct buf all = {0}, to = {0};
	const struct perf_event_header *record;
	size_t pos = 0, n = 0, exits = 0;

	for (uint64_t time = 10; time <= 200; time += 10) {
		add_record(&all, PERF_RECORD_SWITCH_CPU_WIDE, time);
		if (time % 50 == 0)
			add_record(&all, PERF_RECORD_EXIT, time);
	}
	CHECK_EQ(gate_moves__filter(moves, slack, now, buf__span(&all), SAMPLE_TYPE, &to), 0);
	while ((record = record__next(buf__span(&to), &pos))) {
		exits += record->type == PERF_RECORD_EXIT;
		if (record->type == PERF_RECORD_EXIT)
			continue;
		if (n < nr)
			CHECK_EQ(record__time(record, SAMPLE_TYPE), left[n]);
		n++;
	}
	CHECK_EQ(n, nr);
	CHECK_EQ(exits, 4);
}

/* What came while the gate was closed, but for who ran when it opened; nothing where that is not certain. */
static void test_filter(void)
{
	uint64_t ring[8] = {OPENED(45), CLOSED(55), OPENED(101), CLOSED(109), OPENED(145), CLOSED(165)};
	static const uint64_t exact[] = {40, 50, 90, 100, 140, 150, 160, 200};
	static const uint64_t slack[] = {30, 40, 50, 60, 90, 100, 110, 130, 140, 150, 160, 170, 190, 200};
	static const uint64_t overwritten[] = {10, 20, 30, 40, 50, 90, 100, 140, 150, 160, 200};
	struct gate_moves moves;

	gate_moves__sort(ring, 8, &moves);
	check_left(&moves, 1, 1000, exact, ARRAY_SIZE(exact));
	check_left(&moves, 6, 200, slack, ARRAY_SIZE(slack));
	gate_moves__sort(ring + 3, 5, &moves);
	moves.complete = false;
	check_left(&moves, 1, 1000, overwritten, ARRAY_SIZE(overwritten));
}

/* No record came while the gate was open: who ran then is told by the last switch before it opened. */
static void test_filter_between(void)
{
	uint64_t ring[8] = {OPENED(45), CLOSED(55), OPENED(102), CLOSED(107), OPENED(182), CLOSED(188)};
	static const uint64_t left[] = {40, 50, 100, 180, 200};
	struct gate_moves moves;

	gate_moves__sort(ring, 8, &moves);
	check_left(&moves, 1, 1000, left, ARRAY_SIZE(left));
}

int main(void)
{
	test_filter();
	test_filter_between();
	test_none();
	test_not_full();
	test_written_round();
	return check__done();
}
