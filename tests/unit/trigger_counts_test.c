// SPDX-License-Identifier: GPL-2.0-only
/* What the counters of the programs, which are numbers here, say of delays; who leaves a spare to others. */
#include "check.h"
#include "snapshot/trigger_counts.h"

static struct auxbpf_trigger_state states[AUXBPF_MAX_TRIGGERS];

/* Never looked into, but the header says that it is there. */
#define TRIGGERS ((struct gate_triggers *)&(char){0})

/* In place of the map that the programs write. */
struct auxbpf_trigger_state *gate_triggers__state(const struct gate_triggers *gt, uint32_t rule)
{
	return &states[rule];
}

static void spare(struct trigger_counts *rc, uint32_t rule, int by, unsigned int nr_free)
{
	trigger_counts__spare(rc, rule, by, nr_free);
}

/* A rule that has a spare leaves the last one to the other. */
static void test_spares(void)
{
	static const struct trigger_set two = {.nr = 2}, one = {.nr = 1};
	struct trigger_counts rc = {.rules = &two, .triggers = TRIGGERS};
	struct trigger_counts alone = {.rules = &one, .triggers = TRIGGERS};

	spare(&rc, 0, 0, 3);
	spare(&rc, 0, 1, 2);
	CHECK(!trigger_counts__yields(&rc, 0));
	spare(&rc, 0, 1, 1);
	CHECK(trigger_counts__yields(&rc, 0));
	CHECK(!trigger_counts__yields(&rc, 1));
	CHECK(!trigger_counts__yields(&rc, trigger_counts__asked(&rc)));
	spare(&rc, 1, 1, 0);
	spare(&rc, 0, -1, 1); /* it has another one */
	CHECK(trigger_counts__yields(&rc, 0));
	CHECK(trigger_counts__yields(&rc, 1)); /* two rules, and both have one */
	spare(&rc, 0, -1, 2);
	CHECK(!trigger_counts__yields(&rc, 1));
	spare(&rc, trigger_counts__asked(&rc), 1, 1); /* SIGUSR2 */
	CHECK(!trigger_counts__yields(&rc, 0));
	CHECK(trigger_counts__yields(&rc, 1));
	spare(&alone, 0, 1, 1);
	CHECK(!trigger_counts__yields(&alone, 0));
}

int main(void)
{
	test_spares();
	static const struct trigger_set set = {.nr = 2};
	struct trigger_counts rc = {.rules = &set, .triggers = TRIGGERS};

	CHECK_EQ(trigger_counts__delayed(&rc), 0);
	/* Calls that could not be followed are missed, and were never seen. */
	states[0] = (struct auxbpf_trigger_state){.seen = 3, .missed = 7};
	CHECK_EQ(trigger_counts__delayed(&rc), 0);
	trigger_counts__miss_delayed(&rc);
	CHECK_EQ(states[0].missed, 7);
	states[0].delayed = 2;
	states[1].delayed = 1;
	CHECK_EQ(trigger_counts__delayed(&rc), 3);
	trigger_counts__miss_delayed(&rc);
	CHECK_EQ(states[0].missed, 9);
	CHECK_EQ(states[1].missed, 1);
	CHECK_EQ(trigger_counts__missed(&rc), 10);
	return check__done();
}
