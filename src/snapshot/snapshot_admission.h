/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which triggers become snapshots, and which snapshots become files: it owns the limits, what is counted of
 * each rule, and the room on the disk.
 *
 * A trigger goes through it in this order: snapshot_admission__ask() when it has fired; snapshot_admission__took() or
 * snapshot_admission__miss() once it is known whether there is a spare for it; snapshot_admission__settle() when it is
 * dealt with; snapshot_admission__make_room() before the file is written; snapshot_admission__wrote() or
 * snapshot_admission__unkept() behind that.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_ADMISSION_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "gate/gate_triggers.h"
#include "rules/trigger_set.h"
#include "snapshot/snapshot_disk.h"
#include "snapshot/snapshot_limits.h"
#include "snapshot/trigger_counts.h"

struct snapshot_dir;

struct snapshot_admission {
	struct trigger_counts counts; /* by the number of the rule; for names and sums of them */
	struct snapshot_limits_opts opts;
	struct snapshot_disk disk;
	struct snapshot_dir *dir;
	uint64_t writing;      /* bytes that the snapshot takes which is written now; the writer's */
	unsigned int nr_taken; /* triggers that became snapshots; any thread may read it */
};

/*
 * Begins with limits @opts, whose nr_rules is set here, for @rules, which the programs of @triggers count. Both outlive
 * it. 0 or -ENOMEM; snapshot_admission__release() in any case.
 */
int snapshot_admission__init(struct snapshot_admission *a, const struct snapshot_limits_opts *opts,
			     const struct trigger_set *rules,
			     const struct gate_triggers *triggers) _must_check_ _nonnull_(1, 2, 3);

/*
 * Takes the first look at the disk; to be called once the snapshots of @dir are known in @store. All three outlive it.
 */
void snapshot_admission__open(struct snapshot_admission *a, struct snapshot_dir *dir,
			      struct snapshot_store *store, const struct snapshot_index *index)
	_nonnull_(1, 2, 3, 4);
void snapshot_admission__release(struct snapshot_admission *a) _nonnull_(1);

/*
 * Asks whether a trigger of @rule at @time (CLOCK_MONOTONIC) may become a snapshot. Other verdicts than SNAPSHOT_TAKE are
 * counted. With SNAPSHOT_TAKE, @yields tells whether the rule has to leave the last spare to others, and the trigger is
 * missed. Neither waits nor looks at the disk: a CPU may be frozen.
 */
enum snapshot_verdict snapshot_admission__ask(struct snapshot_admission *a, uint32_t rule, uint64_t time,
					      bool *yields) _must_check_ _nonnull_(1, 4);

/* Notes that a trigger of @rule became a snapshot, or was missed because there is no spare. */
void snapshot_admission__took(struct snapshot_admission *a, uint32_t rule, uint64_t time) _nonnull_(1);
void snapshot_admission__miss(struct snapshot_admission *a, uint32_t rule) _nonnull_(1);

/*
 * Ends with a trigger of @rule, which got @verdict: the programs are told until when they need not tell of the rule, and a
 * disk that was full is looked at again. No CPU is frozen any more.
 */
void snapshot_admission__settle(struct snapshot_admission *a, uint32_t rule, enum snapshot_verdict verdict)
	_nonnull_(1);

/* Notes that @rule has taken @by spares, or given them back if that is negative, and that @nr_free are left. */
void snapshot_admission__spare(struct snapshot_admission *a, uint32_t rule, int by, unsigned int nr_free)
	_nonnull_(1);

/*
 * Tells whether the directory or the disk was full at the last look: then the writer is to look again from time to time,
 * so that the first trigger which finds room is not lost.
 */
bool snapshot_admission__is_full(struct snapshot_admission *a) _nonnull_(1);
void snapshot_admission__look(struct snapshot_admission *a) _nonnull_(1);

/* Tells whether there are as many snapshots as the limits allow. Any thread. */
bool snapshot_admission__is_complete(const struct snapshot_admission *a) _nonnull_(1);

/*
 * Makes room for a file of @payload bytes, in the thread that writes; a directory that was moved is found again. Returns
 * 0, a verdict (above 0) if it is not to be written, or a negative errno.
 */
int snapshot_admission__make_room(struct snapshot_admission *a, uint64_t payload) _must_check_ _nonnull_(1);

/* Does the same when the file turns out to be larger, @payload bytes in all. False: there is no room for that. */
bool snapshot_admission__extend(struct snapshot_admission *a, uint64_t payload) _must_check_ _nonnull_(1);

/* Notes that the snapshot @name was written, and removes the oldest ones if that was too much. */
void snapshot_admission__wrote(struct snapshot_admission *a, const char *name) _nonnull_(1, 2);

/* Notes that a snapshot of @rule became no file: @err is a verdict, or a negative errno. */
void snapshot_admission__unkept(struct snapshot_admission *a, uint32_t rule, int err) _nonnull_(1);

#endif
