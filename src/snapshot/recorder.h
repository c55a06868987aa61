/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flight recorder: whenever a trigger fires, what the buffers hold becomes a snapshot, and the trace goes
 * on.
 *
 *	BPF programs (bpf/freeze.bpf.h) freeze the CPUs and tell user space
 *	-> recorder: checks the limits, in a thread that does nothing else (take_thread.h)
 *	-> snapshot_take: stops their events, copies what is new, starts them again
 *	-> snapshot_writer: makes the file while the trace runs on
 *	-> snapshot_index: a line in DIR/index.ndjson
 */
#ifndef AUXBPF_SNAPSHOT_RECORDER_H
#define AUXBPF_SNAPSHOT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_trigger.h"
#include "base/cleanup.h"
#include "base/waiter.h"
#include "capture/capture_file.h"
#include "gate/gate.h"
#include "snapshot/snapshot_dir.h"
#include "snapshot/snapshot_limits.h"
#include "trace/cpu_trace.h"

struct capture_opts;
struct kept_windows;
struct recorder;
struct rings;
struct snapshot_exec;

/* What the user asked for. */
struct recorder_opts {
	struct gate_triggers_opts triggers;
	unsigned int spares;		    /* snapshots that can be taken while none is written yet */
	const char *exec;		    /* what is run after each, by sh -c; NULL: nothing */
	bool at_end;			    /* take one more when the recording ends */
	struct snapshot_limits_opts limits; /* without nr_rules, which the recorder sets */
};

/* What the recorder works with; all of it must outlive it. */
struct recorder_parts {
	const struct capture_opts *capture;
	const struct cpu_traces *traces;
	struct gate *gate;
	struct capture_file *file;
	struct snapshot_dir *dir;     /* the directory of the files */
	struct rings *rings;	      /* of these CPUs */
	struct kept_windows *windows; /* NULL if none are kept */
	struct snapshot_exec *exec;   /* NULL: nothing is run */
};

/*
 * Starts a thread that takes a snapshot for each trigger that fires, until there are as many as the limits
 * allow: that ends the wait. The calling thread, which empties the rings, gets a real-time priority too, a
 * lower one. Logs; 0 or a negative errno.
 */
int recorder__new(const struct recorder_opts *opts, const struct recorder_parts *parts, struct waiter *waiter,
		  struct recorder **ret) _must_check_ _nonnull_(1, 2, 3, 4);

/*
 * Takes a snapshot of all CPUs because the process @pid of the user @uid asked for one. 0 or a negative
 * errno.
 */
int recorder__request(struct recorder *r, uint32_t pid, uint32_t uid) _must_check_ _nonnull_(1);

/* Tells whether there are as many snapshots as the limits allow. */
bool recorder__is_complete(const struct recorder *r) _nonnull_(1);

/* Takes the snapshots of triggers that have fired, writes all, and logs what was recorded. */
void recorder__finish(struct recorder *r) _nonnull_(1);

/* 0, or a negative errno if a snapshot could not be written. */
int recorder__status(const struct recorder *r) _must_check_ _nonnull_(1);

void recorder__free(struct recorder *r);

DEFINE_CLEANUP(recorder, struct recorder *, recorder__free)

#endif
