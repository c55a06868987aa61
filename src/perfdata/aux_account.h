/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts what the records of a CPU's ring say of its AUX data: how much there is, and what is missing. */
#ifndef AUXBPF_PERFDATA_AUX_ACCOUNT_H
#define AUXBPF_PERFDATA_AUX_ACCOUNT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* Zero-initialised is empty. The first four count PERF_RECORD_AUX by their flags. */
struct aux_account {
	uint64_t truncated; /* the buffer was full: trace is missing after the record's data */
	uint64_t partial;   /* the data has gaps, for times in which a virtual machine ran */
	uint64_t collision; /* a TRBE raised its interrupt, and traced nothing until that was served */
	uint64_t overwrite; /* the data was overwritten: never so in a buffer that is read meanwhile */
	uint64_t lost;	    /* records of any kind for which the ring had no room */
	uint64_t end;	    /* the AUX data ends here, by the last record ... */
	uint64_t untold;    /* ... and so many bytes before that are in no record */
	uint64_t time;	    /* time of the last PERF_RECORD_AUX, in perf's clock; 0: there was none */
};

/*
 * Adds whole records of one ring, of events with @sample_type. They must follow those that were added before.
 */
void aux_account__add(struct aux_account *a, struct span records, uint64_t sample_type) _nonnull_(1);

/*
 * Adds to @ends the offsets in the AUX data, as 64-bit numbers, behind which trace is missing because the
 * buffer was full, as the records say. The trace may go on there: the driver starts the unit again if there
 * is room by then (arch/x86/events/intel/pt.c, intel_pt_interrupt()), and the last packet before need not be
 * whole.
 */
void aux_account__gaps(struct span records, struct buf *ends) _nonnull_(2);

#endif
