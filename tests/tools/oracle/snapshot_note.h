/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The notes that a program makes right before it causes triggers, and where behind a note the trigger is.
 */
#ifndef ORACLE_SNAPSHOT_NOTE_H
#define ORACLE_SNAPSHOT_NOTE_H

#include <stdbool.h>

#include "gate_check.h"
#include "log_reader.h"
#include "symbols.h"

struct snapshot_note {
	const struct oracle_record *mark;
	struct oracle_cursor behind; /* it, on its CPU */
};

struct snapshot_notes {
	struct snapshot_note *note; /* by the TSC */
	uint64_t nr;
};

/* All notes with this number. Returns 0 or -ENOMEM. */
int snapshot_notes__collect(struct snapshot_notes *notes, const struct oracle_log *log,
			    uint32_t number) _must_check_ _nonnull_(1, 2);
void snapshot_notes__release(struct snapshot_notes *notes) _nonnull_(1);

/*
 * Where a trigger is, told by kernel functions of the tracepoint's path. With one listener the kernel calls
 * the listener's own function (__bpf_trace_NAME), with more __traceiter_NAME (tracepoint_update_call() in
 * kernel/tracepoint.c): name both.
 */
struct trigger_place {
	const struct symbols *syms;
	struct address_list functions; /* none: the note is the place */
	/*
	 * Not 0: the trigger is the switch to the note's task after it was off the CPU for at least so many ticks
	 * of the log's time; for less it may be preempted before. The place is in what the task before it runs.
	 */
	uint64_t off_cpu;
};

/*
 * The record that the trigger is counted from: the first branch behind the note into one of the functions by
 * the note's task; with off_cpu, by anyone, the first one between the last two switches up to that to the
 * note's task, if that was away for long enough. Without functions it is the note itself. NULL if there is
 * none up to the end of the log.
 */
const struct oracle_record *snapshot_note__trigger(const struct snapshot_note *note,
						   const struct trigger_place *place) _nonnull_(1, 2);

#define _cleanup_snapshot_notes_ _cleanup_(snapshot_notes__release)

#endif
