/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sync points in the trace of Arm's ETMv4 and ETE: A-Sync packets, with the time of the first time stamp
 * behind each (Arm Embedded Trace Macrocell Architecture Specification, ARM IHI 0064; of the trace itself, as
 * TRBE has it; in CoreSight's frames: etm_frames.h).
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_TRACE_CS_ETM_SYNC_H
#define AUXBPF_TRACE_CS_ETM_SYNC_H

#include "trace/aux_sync.h"

/* An A-Sync packet: so many zeros, and the byte that ends them. No other packet has as many in a row. */
#define ETM_ASYNC_ZEROS 11
#define ETM_ASYNC_END 0x80

/* What tells an ETE from an ETMv4: the architecture's version and number in the register TRCDEVARCH. */
#define ETM_DEVARCH_MASK 0xffff
#define ETM_DEVARCH_ETE 0x5a13

/* How far behind it a time stamp is looked for; the unit sends one with the first instructions. */
#define ETM_TIME_WITHIN 1024

/* An aux_sync_fn: an A-Sync packet that is whole. */
bool etm_sync__next(const struct span data[2], size_t *at, struct aux_sync *ret) _must_check_
	_nonnull_(1, 2, 3);

/* The time of the A-Sync packet that ends in front of offset @at of the two spans; false if it has none. */
bool etm_sync__time(const struct span data[2], size_t at, uint64_t *ret) _must_check_ _nonnull_(1, 3);

/*
 * A packet that says nothing. perf stops at each range of instructions to show it, and takes what else the last
 * packet told only while there are bytes behind it (tools/perf/util/cs-etm.c, cs_etm__get_data_block();
 * cs-etm-decoder/cs-etm-decoder.c, OCSD_OP_FLUSH): at the end of a piece of trace branches would be missing.
 */
extern const struct span etm_sync__tail;

#endif
