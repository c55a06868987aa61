/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds sync points in the trace of Arm's ETMv4 and ETE: A-Sync packets, with the time of the first time
 * stamp behind each (Arm Embedded Trace Macrocell Architecture Specification, ARM IHI 0064). This is for the
 * trace itself, as TRBE has it; for CoreSight's frames see trace/cs_etm/frames.h.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_TRACE_CS_ETM_SYNC_H
#define AUXBPF_TRACE_CS_ETM_SYNC_H

#include "trace/aux_sync.h"

/* An A-Sync packet is so many zeros and the byte that ends them. No other packet has as many in a row. */
#define ETM_ASYNC_ZEROS 11
#define ETM_ASYNC_END 0x80

/* The architecture's version and number in the register TRCDEVARCH, which tell an ETE from an ETMv4. */
#define ETM_DEVARCH_MASK 0xffff
#define ETM_DEVARCH_ETE 0x5a13

/* So far behind an A-Sync a time stamp is looked for; the unit sends one with the first instructions. */
#define ETM_TIME_WITHIN 1024

/* An aux_sync_fn that finds whole A-Sync packets. */
bool etm_sync__next(const struct span data[2], size_t *at, struct aux_sync *ret) _must_check_
	_nonnull_(1, 2, 3);

/* Finds the time of the A-Sync packet that ends in front of offset @at of the two spans; false if it has
 * none. */
bool etm_sync__time(const struct span data[2], size_t at, uint64_t *ret) _must_check_ _nonnull_(1, 3);

/*
 * A packet that says nothing, for the end of a piece of trace. perf stops at each range of instructions to
 * show it, and takes what else the last packet told only while there are bytes behind it
 * (tools/perf/util/cs-etm.c, cs_etm__get_data_block(); cs-etm-decoder/cs-etm-decoder.c, OCSD_OP_FLUSH):
 * without this packet branches would be missing.
 */
extern const struct span etm_sync__tail;

#endif
