/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All reasons to take a snapshot, by number: the rules, which the BPF programs count, then SIGUSR2 and the
 * end of the recording, which user space counts.
 */
#ifndef AUXBPF_SNAPSHOT_TRIGGER_COUNTS_H
#define AUXBPF_SNAPSHOT_TRIGGER_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_trigger.h"
#include "base/cleanup.h"
#include "gate/gate_triggers.h"
#include "rules/trigger_set.h"
#include "snapshot/snapshot_limits.h"

struct trigger_counts {
	const struct trigger_set *rules;
	const struct gate_triggers *triggers;
	struct snapshot_limits *limits;
	struct auxbpf_trigger_state asked, ended; /* the counters of SIGUSR2 and of the end */
	struct rule_count {
		uint64_t spares; /* spares that its snapshots occupy until they are files */
		uint64_t quiet;	 /* how many triggers the BPF programs left out, as far as the limits know */
		enum snapshot_verdict why; /* the limit for which they leave them out */
		/*
		 * Snapshots that were taken but are no files, by limit; SNAPSHOT_TAKE: because of an error.
		 */
		uint64_t unkept[SNAPSHOT_VERDICTS];
	} counts[AUXBPF_MAX_TRIGGERS + 2];
};

/* Return the numbers of SIGUSR2 and of the end, which is the last number. */
uint32_t trigger_counts__asked(const struct trigger_counts *rc) _nonnull_(1);
uint32_t trigger_counts__ended(const struct trigger_counts *rc) _nonnull_(1);

/* Return what the number stands for, and its counters. */
const struct trigger *trigger_counts__trigger(const struct trigger_counts *rc, uint32_t rule) _nonnull_(1);
struct auxbpf_trigger_state *trigger_counts__state(struct trigger_counts *rc, uint32_t rule) _nonnull_(1);

/* Counts a missed trigger, for a reason that the BPF programs cannot know. */
void trigger_counts__miss(struct trigger_counts *rc, uint32_t rule) _nonnull_(1);

/*
 * The first returns how many triggers of all rules still wait for the end of their delay (--after); user
 * space has been told of all others and need only look. The second counts those as missed.
 */
uint64_t trigger_counts__delayed(struct trigger_counts *rc) _nonnull_(1);
void trigger_counts__miss_delayed(struct trigger_counts *rc) _nonnull_(1);

/* Return how many triggers were seen and how many were missed, of all numbers together. */
uint64_t trigger_counts__seen(struct trigger_counts *rc) _nonnull_(1);
uint64_t trigger_counts__missed(struct trigger_counts *rc) _nonnull_(1);

/*
 * Notes that the rule got @verdict at @now: tells the BPF programs until when they need not tell of it, and
 * the limits how many triggers were left out.
 */
void trigger_counts__quiet(struct trigger_counts *rc, uint32_t rule, uint64_t now,
			   enum snapshot_verdict verdict) _nonnull_(1);

/*
 * Notes that the rule has taken @by spares, or given them back if that is negative, and that @nr_free are
 * left. If there are several rules, one that has a spare does not get the last one: a rule that fires all the
 * time, and whose snapshots take long to write, leaves it to the others. May be called by any thread, one at
 * a time.
 */
void trigger_counts__spare(struct trigger_counts *rc, uint32_t rule, int by, unsigned int nr_free)
	_nonnull_(1);

/* Tells whether the rule leaves the last spare to the others now: then its triggers are missed. */
bool trigger_counts__yields(struct trigger_counts *rc, uint32_t rule) _nonnull_(1);

/*
 * Notes that a snapshot that was taken is not kept: because of the limit @why, or of an error if that is
 * SNAPSHOT_TAKE. May be called by any thread.
 */
void trigger_counts__unkept(struct trigger_counts *rc, uint32_t rule, enum snapshot_verdict why) _nonnull_(1);

/* Logs for each rule what became of its triggers. */
void trigger_counts__log(struct trigger_counts *rc) _nonnull_(1);

#endif
