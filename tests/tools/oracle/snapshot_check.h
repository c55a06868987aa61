/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The check of the snapshots of one run: each holds, per CPU, a piece of what ran traced there.
 *
 * Required, of the decoded branches of each snapshot and CPU:
 *  1. they are a stretch of what ran traced on that CPU: same branches, same order, none missing, none more
 *     (traced_stream.h). Its end may be anywhere, and its beginning (stretch.h) too but for 5;
 *  2. the stretches of one CPU are in the order of the snapshots, and no branch is in two of them;
 *  3. with notes: the stretch of the i-th snapshot on the CPU of the i-th note ends behind that note, and at
 *     most so many branches behind the trigger (snapshot_note.h), without those of interrupts that came in
 *     between, and of other tasks that they had run in the middle of the tracepoint's own code, which are no
 *     part of the trigger's path: they are counted apart;
 *  4. the decoder reported no error;
 *  5. with a time to look back: no history is missing. A stretch goes on where the one before of its CPU ended,
 *     the first one where the trace begins, or what is missing in front of it is older than that, counted from
 *     the newest branch of the snapshot.
 * With a shared sink: where trace begins again and its end before is not shown, that end, and no more, is missing.
 * Of a buffer that CPUs share, perf has one part of a CPU's trace in the one CPU's queue and the next in another's,
 * and shows no end that is the last thing in its queue (etm_view.h, 6.).
 * With gaps: where the branches of a snapshot are no stretch, they are as few of them as can be, each as long as it can be.
 *
 * Where the same branches ran more than once, a stretch is taken to be the first that fits: behind the
 * stretch of the snapshot before and, with notes, ending behind its note. If there is a way to place all
 * snapshots, this finds one.
 */
#ifndef ORACLE_SNAPSHOT_CHECK_H
#define ORACLE_SNAPSHOT_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "log_reader.h"
#include "snapshot_file.h"
#include "snapshot_note.h"

struct snapshot_check_opts {
	const struct symbols *syms; /* for messages; may be NULL */
	const bool *cpus;	    /* which CPUs to look at, indexed by any CPU number; NULL: all */
	uint32_t note;		    /* of NOTE marks; 0: nothing is said of where stretches end */
	struct trigger_place place; /* with a note */
	uint64_t max_after;	    /* the most branches behind the trigger */
	uint64_t missed;	    /* so many notes, any of them, have no snapshot */
	uint64_t back;	  /* the time to look back, in ticks of the log's; 0: a stretch may begin anywhere */
	bool later;	  /* the first stretch of a CPU may, all the same */
	uint64_t least;	  /* so many branches each snapshot has, all CPUs together */
	bool shared_sink; /* CPUs share the buffer; no gaps then */
	uint64_t gaps;	  /* so often, at most, something is missing between two branches of a snapshot */
	FILE *out;	  /* the report */
};

/*
 * Checks @nr snapshots in the order in which they were taken. The report has a line for each stretch: file,
 * CPU, the first and last record of the log, branches, branches behind the trigger; then for each fault what
 * it is. Returns 0 if all is right and there is a branch at all, 1 if not, -ENOMEM.
 */
int snapshot_check__run(const struct oracle_log *log, const struct snapshot_file *files, uint64_t nr,
			const struct snapshot_check_opts *opts) _must_check_ _nonnull_(1, 2, 4);

#endif
