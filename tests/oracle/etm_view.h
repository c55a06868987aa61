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
 *     known code.
 *  6. That trace ends is shown by what follows, if only by a start that is not shown itself (3.); so the last end of
 *     all is not.
 *  7. Of what is at the end of a piece of trace with times, that is when the buffer is switched off, as between two
 *     switches of a task that perf records, perf shows an exception only behind a branch: what has none since trace
 *     started is not shown at all (cs_etm__clear_all_traceid_queues()). Without times it goes on with the next piece,
 *     and shows it (cs_etm__run_per_thread_timeless_decoder()).
 */
#ifndef ORACLE_ETM_VIEW_H
#define ORACLE_ETM_VIEW_H

#include "decode_text.h"
#include "log_reader.h"

/* Rewrites, in memory, the traced records of all CPUs. @timeless: the trace has no times. */
void etm_view__log(struct oracle_log *log, uint64_t kernel_start, bool timeless) _nonnull_(1);

/* And what was decoded. */
void etm_view__text(struct decode_text *text) _nonnull_(1);

#endif
