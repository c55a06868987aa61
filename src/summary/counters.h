/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs counted on each CPU, in words: at the end of a capture.
 */
#ifndef AUXBPF_SUMMARY_COUNTERS_H
#define AUXBPF_SUMMARY_COUNTERS_H

#include "trace/cpu_trace.h"
#include "gate/gate.h"

/* "2 windows on CPU 0,1": the CPUs whose gate was open. */
void counters__describe(const struct gate *gate, const struct cpu_trace *cpus, size_t nr, char *text,
			size_t size) _nonnull_(1, 2, 4);

/*
 * All of them at debug level, and as warnings those that tell that something went wrong: of all CPUs, of which
 * @cpus are traced. @listed: no others were asked for.
 */
void counters__log(const struct gate *gate, const struct cpu_trace *cpus, size_t nr, bool listed)
	_nonnull_(1, 2);

#endif
