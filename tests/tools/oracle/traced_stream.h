/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a decoder must show of one CPU: the records of the log that ran traced, in their order.
 *
 * How a record of the log maps to a decoded branch (the whole list; nothing is merged, split or dropped):
 *  1. Branch kinds and UNIT records count; MARK and SWITCH records are no branches.
 *  2. Traced at both ends: from -> to. A UNIT record with both ends traced changed no more than the unit's
 * setup, for which a decoder gets no branch.
 *  3. Traced at `to` only: 0 -> to, perf's "tr strt" (intel-pt-decoder.c intel_pt_walk_trace(), case
 * TIP_PGE).
 *  4. Traced at `from` only: from -> 0, perf's "tr end" (intel_pt_walk_fup_tip() and intel_pt_walk_tip(),
 * TIP_PGD without an address). With an address filter TIP.PGD may carry the address gone to; that is not used
 * here.
 *  5. Traced at neither end: nothing.
 */
#ifndef ORACLE_TRACED_STREAM_H
#define ORACLE_TRACED_STREAM_H

#include "decode_text.h"
#include "log_reader.h"
#include "record_list.h"

/* Whether a decoder shows anything of the record. */
bool traced_stream__shows(const struct oracle_record *rec) _nonnull_(1);

/* Adds all of one CPU; none for a CPU that the log does not have. Returns 0 or -ENOMEM. */
int traced_stream__collect(struct record_list *s, const struct oracle_log *log, unsigned int cpu) _must_check_
	_nonnull_(1, 2);

/* The place of the first that is not before @rec, which is a record of the same CPU. */
uint64_t traced_stream__find(const struct record_list *s, const struct oracle_record *rec) _nonnull_(1, 2);

/* What a decoder shows of a record of a stream. */
struct decoded_branch traced_stream__as_decoded(const struct oracle_record *rec) _nonnull_(1);

#endif
