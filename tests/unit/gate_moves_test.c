// SPDX-License-Identifier: GPL-2.0-only
/* When a gate was open, by its moves as they lie in a ring that is written round. */
#include "check.h"
#include "pure/gate_moves.h"

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

int main(void)
{
	test_none();
	test_not_full();
	test_written_round();
	return check__done();
}
