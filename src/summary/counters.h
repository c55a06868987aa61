/* SPDX-License-Identifier: GPL-2.0-only */
/* Says what the programs counted on each CPU, at the end of a capture. */
#ifndef AUXBPF_SUMMARY_COUNTERS_H
#define AUXBPF_SUMMARY_COUNTERS_H

#include "gate/gate.h"
#include "trace/cpu_trace.h"

/* Writes on which CPUs the gate was open: "2 windows on CPU 0,1". */
void counters__describe(const struct gate *gate, const struct cpu_trace *cpus, size_t nr, char *text,
			size_t size) _nonnull_(1, 2, 4);

/*
 * Logs all counters at debug level, and as warnings those that tell that something went wrong. It looks at
 * all CPUs, of which @cpus are traced. @listed: no others were asked for.
 */
void counters__log(const struct gate *gate, const struct cpu_trace *cpus, size_t nr, bool listed)
	_nonnull_(1, 2);

#endif
