/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When a trigger does not become a snapshot: too soon after the last one of its rule, too many a second, too
 * many in all, too many bytes, too little room on the disk. What was left out is counted per rule and reason.
 *
 * Times are of any one clock, in ns. All limits may be 0: then that one does not apply.
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
	SNAPSHOT_COOL_DOWN, /* the rule had one a short time ago */
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
	 * Of all rules; as many may also come at once after a quiet second. So that a busy rule leaves some
	 * to the others, a rule that had none for nr_rules / per_second seconds takes one of the next second
	 * if there is none left of this one.
	 */
	unsigned int per_second;
	uint64_t max_count; /* of all rules, until the end */
	uint64_t max_bytes; /* of the directory */
	bool remove_oldest; /* make room in place of taking no more */
	uint64_t keep_free; /* bytes on the disk that are not to be used */
};

/* The directory of the snapshots, with what is still to be written counted as if it were. */
struct snapshot_room {
	uint64_t used;	/* by snapshots that may be removed */
	uint64_t index; /* by what stays */
	uint64_t free;	/* on the disk */
	uint64_t need;	/* the most that the next snapshot can take */
};

struct snapshot_limits;

int snapshot_limits__new(const struct snapshot_limits_opts *opts, struct snapshot_limits **ret) _must_check_
	_nonnull_(1, 2);
void snapshot_limits__free(struct snapshot_limits *limits);

/*
 * Whether rule @rule may have a snapshot at @now. Anything but SNAPSHOT_TAKE is counted; of several reasons
 * the first in the order of the enum is told. With SNAPSHOT_TAKE, snapshot_limits__excess() bytes are to be
 * removed before the snapshot is written.
 */
enum snapshot_verdict snapshot_limits__ask(struct snapshot_limits *limits, unsigned int rule, uint64_t now,
					   const struct snapshot_room *room) _must_check_ _nonnull_(1, 4);

/*
 * Until when no trigger of rule @rule is taken, whatever else happens, and why: @now, and SNAPSHOT_TAKE, if
 * one may be at once; UINT64_MAX if none will. For the programs, which need not tell of triggers until then.
 */
uint64_t snapshot_limits__quiet_until(const struct snapshot_limits *limits, unsigned int rule, uint64_t now,
				      enum snapshot_verdict *why) _nonnull_(1, 4);

/* @nr triggers of rule @rule got @verdict without a question. */
void snapshot_limits__add(struct snapshot_limits *limits, unsigned int rule, enum snapshot_verdict verdict,
			  uint64_t nr) _nonnull_(1);

/* To be told of each snapshot that is taken, before the next question. */
void snapshot_limits__took(struct snapshot_limits *limits, unsigned int rule, uint64_t now) _nonnull_(1);

/* How many bytes of the oldest snapshots have to go for the next one: 0 unless remove_oldest is set. */
uint64_t snapshot_limits__excess(const struct snapshot_limits *limits, const struct snapshot_room *room)
	_nonnull_(1, 2);

/* Whether there is, or can be made, room for any: if not, for which limit not. */
enum snapshot_verdict snapshot_limits__room(const struct snapshot_limits *limits,
					    const struct snapshot_room *room) _must_check_ _nonnull_(1, 2);

/* Whether the next one can be written with nothing removed any more: if not, for which limit. */
enum snapshot_verdict snapshot_limits__fits(const struct snapshot_limits *limits,
					    const struct snapshot_room *room) _must_check_ _nonnull_(1, 2);

/* How often rule @rule got @verdict; of SNAPSHOT_TAKE, how many snapshots it has. */
uint64_t snapshot_limits__count(const struct snapshot_limits *limits, unsigned int rule,
				enum snapshot_verdict verdict) _nonnull_(1);

/* As auxbpf says it, in a list of what was left out: "too soon after the last one of the rule". */
const char *snapshot_limits__reason(enum snapshot_verdict verdict);

DEFINE_CLEANUP(snapshot_limits, struct snapshot_limits *, snapshot_limits__free)

#endif
