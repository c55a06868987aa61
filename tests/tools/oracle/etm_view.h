/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log as perf shows a trace of Arm's ETM or ETE.
 *
 * Such a trace tells which instructions were executed, as ranges, and perf (util/cs-etm.c) makes a branch of each two
 * ranges that follow each other: from the last instruction of the one to the first of the other. traced_stream.h has
 * what a decoder shows of a record; here:
 *  1. An exception or interrupt comes from the last instruction executed, not from the one that was to be next.
 *  2. If that one was the target of a branch, there is no range between: the branch and the exception are one branch,
 *     from the branch to the handler. If trace had just started there, it starts in the handler.
 *  3. What was executed since the last branch when the unit is switched off, or its buffer is full, is not told: that
 *     branch ends the trace. Here one that was not taken, or a barrier, is a branch too (ORACLE_PASSED).
 *  4. A barrier (ISB) ends a range as a branch to the next instruction does. Both are left out.
 *  5. Code of the kernel below @kernel_start, as that of modules and BPF programs is on Arm, is not found by perf in a
 *     capture of perf record (cs_etm__cpu_mode()): a branch there goes to where the packets next tell an address of
 *     known code. They do behind indirect branches and exceptions, and behind anything where the unit happens to
 *     synchronize (ORACLE_SYNCED): a function of the kernel that a module calls directly is seen from there on.
 *  6. That trace ends is shown by what follows, if only by a start that is not shown itself (3.); so the last end of
 *     all is not; of a buffer that CPUs share, the last end of all that is in one CPU's queue
 *     (snapshot_check.h, decode_check.h).
 *  7. A piece of trace ends when the buffer is switched off, as between two switches of a task that perf records.
 *     In one with times perf stops at each range and at the first time since trace started or a context was told
 *     (cs_etm_decoder__set_tid() forgets the time), and what else the last packet told it drops at the end of the
 *     piece (cs_etm__get_data_block() resets the decoder). The packets of an exception tell what was executed before
 *     it, too, and the time that came before. So perf shows an exception there only behind a branch: what has none
 *     since trace started is not shown at all, and of what has none since the unit synchronized, which tells the
 *     context anew, it shows the branch before, as the end of trace. Not so without
 *     times (perf record --per-thread), nor in the last piece of a CPU in auxbpf's files, but those of --stream:
 *     something is behind the trace there.
 */
#ifndef ORACLE_ETM_VIEW_H
#define ORACLE_ETM_VIEW_H

#include "decode_text.h"
#include "log_reader.h"

/* The pieces of trace at whose end perf drops something (7.). */
enum etm_pieces {
	ETM_PIECES_BUT_LAST, /* of each CPU */
	ETM_PIECES_ALL,
	ETM_PIECES_NONE,
};

/* "all", "none" */
bool etm_pieces__parse(const char *arg, enum etm_pieces *ret) _nonnull_(1, 2);

/* Rewrites, in memory, the traced records of all CPUs. */
void etm_view__log(struct oracle_log *log, uint64_t kernel_start, enum etm_pieces pieces) _nonnull_(1);

/* And what was decoded. */
void etm_view__text(struct decode_text *text) _nonnull_(1);

#endif
