/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that a snapshot may be taken for, by number: the rules, which the programs count, and behind them
 * SIGUSR2 and the end of the recording, which user space does.
 */
#ifndef AUXBPF_SNAPSHOT_TRIGGER_COUNTS_H
#define AUXBPF_SNAPSHOT_TRIGGER_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_trigger.h"
#include "base/cleanup.h"
#include "gate/gate_triggers.h"
#include "snapshot/snapshot_limits.h"
#include "rules/trigger_set.h"

struct trigger_counts {
	const struct trigger_set *rules;
	const struct gate_triggers *triggers;
	struct snapshot_limits *limits;
	struct auxbpf_trigger_state asked, ended; /* of SIGUSR2 and of the end */
	struct rule_count {
		uint64_t spares;	   /* that its snapshots are in until they are files */
		uint64_t quiet;		   /* what the programs left out, as far as the limits know ... */
		enum snapshot_verdict why; /* ... and for what limit they do */
		/* Snapshots that were taken but are no files: for what limit; of SNAPSHOT_TAKE, an error. */
		uint64_t unkept[SNAPSHOT_VERDICTS];
	} counts[AUXBPF_MAX_TRIGGERS + 2];
};

/* The number of SIGUSR2, and that of the end, which is one less than how many there are. */
uint32_t trigger_counts__asked(const struct trigger_counts *rc) _nonnull_(1);
uint32_t trigger_counts__ended(const struct trigger_counts *rc) _nonnull_(1);

/* What the number stands for, and its counters. */
const struct trigger *trigger_counts__trigger(const struct trigger_counts *rc, uint32_t rule) _nonnull_(1);
struct auxbpf_trigger_state *trigger_counts__state(struct trigger_counts *rc, uint32_t rule) _nonnull_(1);

/* One more that was missed, for whatever reason the programs cannot know. */
void trigger_counts__miss(struct trigger_counts *rc, uint32_t rule) _nonnull_(1);

/*
 * Those whose delay (--after) still runs, of all rules; user space has been told of the others, and need only
 * look. Those that it does not wait for any longer are missed.
 */
uint64_t trigger_counts__delayed(struct trigger_counts *rc) _nonnull_(1);
void trigger_counts__miss_delayed(struct trigger_counts *rc) _nonnull_(1);

/* Of all of them together. */
uint64_t trigger_counts__seen(struct trigger_counts *rc) _nonnull_(1);
uint64_t trigger_counts__missed(struct trigger_counts *rc) _nonnull_(1);

/*
 * The rule got @verdict at @now: the programs are told until when they need not tell of it, and the limits
 * how many they have left out.
 */
void trigger_counts__quiet(struct trigger_counts *rc, uint32_t rule, uint64_t now,
			   enum snapshot_verdict verdict) _nonnull_(1);

/*
 * The rule has taken @by spares, or given them back if that is negative, and @nr_free are left. Of several rules
 * one that has a spare does not get the last: a rule that holds all the time, and whose snapshots take long to
 * write, leaves it to the others. Any thread, one at a time.
 */
void trigger_counts__spare(struct trigger_counts *rc, uint32_t rule, int by, unsigned int nr_free)
	_nonnull_(1);

/* Whether it is so of this rule now: what it has fired for is missed. */
bool trigger_counts__yields(struct trigger_counts *rc, uint32_t rule) _nonnull_(1);

/* A snapshot that was taken is not kept: for the limit @why, or, with SNAPSHOT_TAKE, an error. Any thread. */
void trigger_counts__unkept(struct trigger_counts *rc, uint32_t rule, enum snapshot_verdict why) _nonnull_(1);

/* Says of each rule what became of its events. */
void trigger_counts__log(struct trigger_counts *rc) _nonnull_(1);

#endif
