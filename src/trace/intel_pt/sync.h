/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the sync points of Intel PT: PSB packets, with the time stamp of the status packets that follow each.
 *
 * PSB is 8 times 02 82. "No legal packet combination can result in such a byte sequence" (Intel SDM vol. 3,
 * Intel Processor Trace, "Decoder Synchronization (PSB+)"), so it is found without knowing where packets
 * begin. The packets behind it until PSBEND or OVF, in any order, are the state of the processor.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_TRACE_INTEL_PT_SYNC_H
#define AUXBPF_TRACE_INTEL_PT_SYNC_H

#include "trace/aux_sync.h"

/* An aux_sync_fn. The time is that of the TSC packet: the low 56 bits of the TSC. */
bool pt_sync__next(const struct span data[2], size_t *at, struct aux_sync *ret) _nonnull_(1, 2, 3);

/* An aux_whole_fn. */
size_t pt_sync__whole(const struct span data[2]) _nonnull_(1);

/*
 * An aux_gap_fn. The mark is OVF ("packets were lost") and, if the trace is on in the PSB, TIP.PGE, with
 * which the processor says so behind an overflow. Without TIP.PGE perf takes the trace for off in spite of
 * the FUP in the PSB (intel_pt_overflow(), intel_pt_psb_with_fup()), and misses the next interrupt.
 */
size_t pt_sync__gap(const struct span data[2], uint8_t mark[AUX_MARK_MAX]) _nonnull_(1, 2);

#endif
