// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_limits.h"

#include <errno.h>

#define NS_PER_SECOND UINT64_C(1000000000)

struct rule_state {
	bool taken;    /* it had a snapshot */
	uint64_t last; /* when it had the last one */
	uint64_t counts[SNAPSHOT_VERDICTS];
};

struct snapshot_limits {
	struct snapshot_limits_opts opts;
	uint64_t nr_taken;
	/*
	 * Each snapshot fills the bucket by what drains away in 1 s / per_second. The bucket holds one
	 * second; a rule whose turn it is (is_due()) may fill it up to two.
	 */
	uint64_t level; /* ns until it is empty, at the time @level_at */
	uint64_t level_at;
	struct rule_state rules[];
};

int snapshot_limits__new(const struct snapshot_limits_opts *opts, struct snapshot_limits **ret)
{
	struct snapshot_limits *limits =
		calloc(1, sizeof(*limits) + opts->nr_rules * sizeof(limits->rules[0]));

	*ret = limits;
	if (!limits)
		return -ENOMEM;
	limits->opts = *opts;
	return 0;
}

void snapshot_limits__free(struct snapshot_limits *limits)
{
	free(limits);
}

static uint64_t missing(uint64_t have, uint64_t want)
{
	return want > have ? want - have : 0;
}

/*
 * Returns the level at @now. Triggers of several CPUs may come a little out of order: then no time has
 * passed.
 */
static uint64_t level_at(const struct snapshot_limits *limits, uint64_t now)
{
	return missing(missing(limits->level_at, now), limits->level);
}

static uint64_t filling(const struct snapshot_limits *limits)
{
	return NS_PER_SECOND / limits->opts.per_second;
}

/* Returns the time from one snapshot of a rule to the next if all rules had equally many. */
static uint64_t turn(const struct snapshot_limits *limits)
{
	return limits->opts.nr_rules * NS_PER_SECOND / limits->opts.per_second;
}

/*
 * Tells whether the rule had less than its share. Then it takes from the next second, and the others wait
 * longer.
 */
static bool is_due(const struct snapshot_limits *limits, const struct rule_state *rule, uint64_t now)
{
	return !rule->taken || missing(rule->last, now) >= turn(limits);
}

/* Returns how long it takes from @now until the bucket has room below @top for one more. */
static uint64_t wait_below(const struct snapshot_limits *limits, uint64_t now, uint64_t top)
{
	return missing(top, level_at(limits, now) + filling(limits));
}

static bool is_too_fast(const struct snapshot_limits *limits, const struct rule_state *rule, uint64_t now)
{
	uint64_t top = NS_PER_SECOND;

	if (!limits->opts.per_second)
		return false;
	if (is_due(limits, rule, now))
		top += NS_PER_SECOND;
	return wait_below(limits, now, top) > 0;
}

/*
 * Returns the first moment from @now on at which is_too_fast() is over if no other rule has a snapshot
 * meanwhile.
 */
static uint64_t slow_from(const struct snapshot_limits *limits, const struct rule_state *rule, uint64_t now)
{
	uint64_t anyway = now + wait_below(limits, now, NS_PER_SECOND);
	uint64_t due = now + wait_below(limits, now, 2 * NS_PER_SECOND);

	if (rule->taken && due < rule->last + turn(limits))
		due = rule->last + turn(limits);
	return due < anyway ? due : anyway;
}

static bool is_hot(const struct snapshot_limits *limits, const struct rule_state *rule, uint64_t now)
{
	return rule->taken && missing(rule->last, now) < limits->opts.cool_down;
}

/* Return how many bytes would have to be removed for the limit of the directory, and for that of the disk. */
static uint64_t excess_bytes(const struct snapshot_limits *limits, const struct snapshot_room *room)
{
	uint64_t all = room->used + room->index + room->need;

	return limits->opts.max_bytes ? missing(limits->opts.max_bytes, all) : 0;
}

static uint64_t excess_disk(const struct snapshot_limits *limits, const struct snapshot_room *room)
{
	return limits->opts.keep_free ? missing(room->free, limits->opts.keep_free + room->need) : 0;
}

/* Judges the room if @removable bytes can still be removed. */
static enum snapshot_verdict judge_room(const struct snapshot_limits *limits,
					const struct snapshot_room *room, uint64_t removable)
{
	if (excess_bytes(limits, room) > removable)
		return SNAPSHOT_BYTES;
	if (excess_disk(limits, room) > removable)
		return SNAPSHOT_DISK;
	return SNAPSHOT_TAKE;
}

enum snapshot_verdict snapshot_limits__room(const struct snapshot_limits *limits,
					    const struct snapshot_room *room)
{
	return judge_room(limits, room, limits->opts.remove_oldest ? room->used : 0);
}

static enum snapshot_verdict judge(const struct snapshot_limits *limits, const struct rule_state *rule,
				   uint64_t now, const struct snapshot_room *room)
{
	const struct snapshot_limits_opts *opts = &limits->opts;

	if (is_hot(limits, rule, now))
		return SNAPSHOT_COOL_DOWN;
	if (is_too_fast(limits, rule, now))
		return SNAPSHOT_RATE;
	if (opts->max_count && limits->nr_taken >= opts->max_count)
		return SNAPSHOT_COUNT;
	return snapshot_limits__room(limits, room);
}

enum snapshot_verdict snapshot_limits__ask(struct snapshot_limits *limits, unsigned int rule, uint64_t now,
					   const struct snapshot_room *room)
{
	enum snapshot_verdict verdict = judge(limits, &limits->rules[rule], now, room);

	if (verdict != SNAPSHOT_TAKE)
		limits->rules[rule].counts[verdict]++;
	return verdict;
}

uint64_t snapshot_limits__quiet_until(const struct snapshot_limits *limits, unsigned int rule, uint64_t now,
				      enum snapshot_verdict *why)
{
	const struct snapshot_limits_opts *opts = &limits->opts;
	const struct rule_state *state = &limits->rules[rule];
	uint64_t until = now;

	*why = SNAPSHOT_TAKE;
	if (is_hot(limits, state, now)) {
		until = state->last + opts->cool_down;
		*why = SNAPSHOT_COOL_DOWN;
	}
	if (is_too_fast(limits, state, until)) {
		until = slow_from(limits, state, until);
		*why = SNAPSHOT_RATE;
	}
	if (opts->max_count && limits->nr_taken >= opts->max_count) {
		until = UINT64_MAX;
		*why = SNAPSHOT_COUNT;
	}
	return until;
}

void snapshot_limits__add(struct snapshot_limits *limits, unsigned int rule, enum snapshot_verdict verdict,
			  uint64_t nr)
{
	limits->rules[rule].counts[verdict] += nr;
}

void snapshot_limits__took(struct snapshot_limits *limits, unsigned int rule, uint64_t now)
{
	struct rule_state *state = &limits->rules[rule];

	state->taken = true;
	state->last = now;
	state->counts[SNAPSHOT_TAKE]++;
	limits->nr_taken++;
	if (!limits->opts.per_second)
		return;
	limits->level = level_at(limits, now) + filling(limits);
	if (now > limits->level_at)
		limits->level_at = now;
}

uint64_t snapshot_limits__excess(const struct snapshot_limits *limits, const struct snapshot_room *room)
{
	uint64_t bytes = excess_bytes(limits, room), disk = excess_disk(limits, room);

	if (!limits->opts.remove_oldest)
		return 0;
	return bytes > disk ? bytes : disk;
}

enum snapshot_verdict snapshot_limits__fits(const struct snapshot_limits *limits,
					    const struct snapshot_room *room)
{
	return judge_room(limits, room, 0);
}

uint64_t snapshot_limits__count(const struct snapshot_limits *limits, unsigned int rule,
				enum snapshot_verdict verdict)
{
	return limits->rules[rule].counts[verdict];
}

const char *snapshot_limits__reason(enum snapshot_verdict verdict)
{
	static const char *const reasons[SNAPSHOT_VERDICTS] = {
		[SNAPSHOT_TAKE] = "taken",
		[SNAPSHOT_COOL_DOWN] = "too soon after the last one of the rule",
		[SNAPSHOT_RATE] = "too many a second",
		[SNAPSHOT_COUNT] = "the number of snapshots is reached",
		[SNAPSHOT_BYTES] = "the directory is full",
		[SNAPSHOT_DISK] = "too little room on the disk",
	};

	return reasons[verdict];
}
