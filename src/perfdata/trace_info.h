/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The AUXTRACE_INFO record, which tells a decoder what it must know of the trace unit. Each trace PMU has its
 * own layout of the contents, a struct trace_info in its folder (trace/trace_pmu.h).
 */
#ifndef AUXBPF_PERFDATA_TRACE_INFO_H
#define AUXBPF_PERFDATA_TRACE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "perfdata/tsc_conv.h"

/* The part that the session knows, which is the same for every PMU. */
struct trace_setup {
	uint32_t pmu_type;
	struct tsc_conv tsc;
	uint64_t config; /* of the event's attributes */
	const int *cpus; /* the CPUs that it was opened on */
	unsigned int nr_cpus;
};

/* The part that is read from the machine: from sysfs, by the kernel's names, and from the CPU. */
struct trace_source {
	/*
	 * format_bits() returns the bits of config that a term of the PMU's format directory has ("tsc" ->
	 * 0x400), 0 if there is no such term. value() returns the number in a file under the PMU's directory
	 * ("max_nonturbo_ratio", "caps/event_trace"), 0 if there is none.
	 */
	uint64_t (*format_bits)(void *ctx, const char *term);
	uint64_t (*value)(void *ctx, const char *file);
	/*
	 * Returns the number in a file in the directory of a CPU's trace unit ("trcidr/trcidr0"), 0 if there
	 * is none.
	 */
	uint64_t (*cpu_value)(void *ctx, int cpu, const char *file);
	void *ctx;
	uint32_t tsc_ctc_num;	/* CPUID leaf 0x15, ebx: so many TSC ticks ... */
	uint32_t tsc_ctc_denom; /* ... take so many of the core crystal clock, eax */
};

struct trace_info {
	const char *pmu;	/* name of the PMU */
	uint32_t auxtrace_type; /* perf's enum auxtrace_type */
	/* Decoders decode only the trace that PERF_RECORD_AUX covers (see perfdata/aux_cover.h). */
	bool told_by_records;
	/* Appends the part of the contents that is this PMU's own. */
	void (*add_info)(struct buf *b, const struct trace_setup *setup, const struct trace_source *source);
};

/* Appends the whole AUXTRACE_INFO record. */
void trace_info__add_record(const struct trace_info *info, struct buf *b, const struct trace_setup *setup,
			    const struct trace_source *source) _nonnull_(1, 2, 3, 4);

#endif
