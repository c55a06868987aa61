/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the records of a CPU's ring say of its AUX data: how much of it there is, and what is missing.
 */
#ifndef AUXBPF_PERFDATA_AUX_ACCOUNT_H
#define AUXBPF_PERFDATA_AUX_ACCOUNT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* Zero-initialised: nothing was seen. The first four count PERF_RECORD_AUX by their flags. */
struct aux_account {
	uint64_t truncated; /* the buffer was full: trace is missing behind it */
	uint64_t partial;   /* there are gaps in it, of a time in which a virtual machine ran */
	uint64_t collision; /* of a TRBE: its interrupt came, and until it was served there is no trace */
	uint64_t overwrite; /* it was overwritten, which a buffer that is read while it is written never is */
	uint64_t lost;	    /* records of any kind for which the ring had no room */
	uint64_t end;	    /* up to where the records tell of the AUX data ... */
	uint64_t untold;    /* ... and bytes before that of which none tells */
	uint64_t time;	    /* of the last of them, in perf's time; 0: there was none */
};

/* Adds whole records of one ring, those of events with @sample_type, which follow what was added before. */
void aux_account__add(struct aux_account *a, struct span records, uint64_t sample_type) _nonnull_(1);

/*
 * Adds to @ends, as 64-bit numbers, the offsets in the AUX data behind which trace is missing because the buffer
 * was full, as the records say. The trace may go on there: the driver starts the unit again where there is room by
 * then (arch/x86/events/intel/pt.c, intel_pt_interrupt()), and the last packet before need not be whole.
 */
void aux_account__gaps(struct span records, struct buf *ends) _nonnull_(2);

#endif
