/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides whether a trigger becomes a snapshot. It does not if it comes too soon after the last one of its
 * rule, or if there are too many a second, too many in all, too many bytes, or too little room on the disk.
 * What is left out is counted per rule and reason.
 *
 * Times are of any one clock, in ns. Each limit may be 0: then it does not apply.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_LIMITS_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

enum snapshot_verdict {
	SNAPSHOT_TAKE,
	SNAPSHOT_COOL_DOWN, /* the rule had a snapshot a short time ago */
	SNAPSHOT_RATE,
	SNAPSHOT_COUNT,
	SNAPSHOT_BYTES,
	SNAPSHOT_DISK,
	SNAPSHOT_VERDICTS,
};

struct snapshot_limits_opts {
	unsigned int nr_rules;
	uint64_t cool_down; /* from one snapshot of a rule to the next of the same rule */
	/*
	 * For all rules together; as many may come at once after a quiet second. So that a busy rule leaves
	 * some to the others, a rule that had none for nr_rules / per_second seconds may take one of the next
	 * second if none is left of this one.
	 */
	unsigned int per_second;
	uint64_t max_count; /* for all rules together, until the end */
	uint64_t max_bytes; /* for the directory */
	bool remove_oldest; /* make room instead of taking no more */
	uint64_t keep_free; /* bytes to leave free on the disk */
};

/* The snapshots' directory. A snapshot that is still to be written counts as written. */
struct snapshot_room {
	uint64_t used;	/* bytes of snapshots that may be removed */
	uint64_t index; /* bytes of what cannot be removed */
	uint64_t free;	/* bytes free on the disk */
	uint64_t need;	/* the most bytes that the next snapshot can take */
};

struct snapshot_limits;

int snapshot_limits__new(const struct snapshot_limits_opts *opts, struct snapshot_limits **ret) _must_check_
	_nonnull_(1, 2);
void snapshot_limits__free(struct snapshot_limits *limits);

/*
 * Tells whether rule @rule may have a snapshot at @now. Any verdict but SNAPSHOT_TAKE is counted; if there
 * are several reasons it is the first in the order of the enum. With SNAPSHOT_TAKE, snapshot_limits__excess()
 * bytes are to be removed before the snapshot is written.
 */
enum snapshot_verdict snapshot_limits__ask(struct snapshot_limits *limits, unsigned int rule, uint64_t now,
					   const struct snapshot_room *room) _must_check_ _nonnull_(1, 4);

/*
 * Returns until when no trigger of rule @rule is taken, whatever else happens, and why: @now and
 * SNAPSHOT_TAKE if one may be taken at once; UINT64_MAX if none will be. The BPF programs need not tell of
 * triggers until then.
 */
uint64_t snapshot_limits__quiet_until(const struct snapshot_limits *limits, unsigned int rule, uint64_t now,
				      enum snapshot_verdict *why) _nonnull_(1, 4);

/* Counts @nr triggers of rule @rule that got @verdict without a question. */
void snapshot_limits__add(struct snapshot_limits *limits, unsigned int rule, enum snapshot_verdict verdict,
			  uint64_t nr) _nonnull_(1);

/* Notes that a snapshot is taken. To be called for each one, before the next question. */
void snapshot_limits__took(struct snapshot_limits *limits, unsigned int rule, uint64_t now) _nonnull_(1);

/*
 * Returns how many bytes of the oldest snapshots must be removed for the next one: 0 unless remove_oldest is
 * set.
 */
uint64_t snapshot_limits__excess(const struct snapshot_limits *limits, const struct snapshot_room *room)
	_nonnull_(1, 2);

/* Tells whether there is room for a snapshot, or can be made; if not, for which limit. */
enum snapshot_verdict snapshot_limits__room(const struct snapshot_limits *limits,
					    const struct snapshot_room *room) _must_check_ _nonnull_(1, 2);

/* Tells whether the next snapshot can be written with no more removed; if not, for which limit. */
enum snapshot_verdict snapshot_limits__fits(const struct snapshot_limits *limits,
					    const struct snapshot_room *room) _must_check_ _nonnull_(1, 2);

/* Returns how often rule @rule got @verdict; for SNAPSHOT_TAKE, how many snapshots it has. */
uint64_t snapshot_limits__count(const struct snapshot_limits *limits, unsigned int rule,
				enum snapshot_verdict verdict) _nonnull_(1);

/*
 * Returns the reason as auxbpf prints it in its list of what was left out: "too soon after the last one of
 * the rule".
 */
const char *snapshot_limits__reason(enum snapshot_verdict verdict);

DEFINE_CLEANUP(snapshot_limits, struct snapshot_limits *, snapshot_limits__free)

#endif
