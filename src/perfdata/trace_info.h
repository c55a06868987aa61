/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The AUXTRACE_INFO record: what a decoder must know of the trace unit. Each trace PMU has its own layout for the
 * contents, a struct trace_info in its folder (trace/trace_pmu.h).
 */
#ifndef AUXBPF_PERFDATA_TRACE_INFO_H
#define AUXBPF_PERFDATA_TRACE_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "perfdata/tsc_conv.h"

/* What the session knows, the same for every PMU. */
struct trace_setup {
	uint32_t pmu_type;
	struct tsc_conv tsc;
	uint64_t config; /* of the event's attributes */
	const int *cpus; /* that it was opened on */
	unsigned int nr_cpus;
};

/* What is read from the machine: from sysfs, by the names the kernel gives them, and from the CPU. */
struct trace_source {
	/*
	 * The bits of config that a term of the PMU's format directory has ("tsc" -> 0x400), 0 if there is no
	 * such term; the value of a file under the PMU's directory ("max_nonturbo_ratio",
	 * "caps/event_trace"), 0 without.
	 */
	uint64_t (*format_bits)(void *ctx, const char *term);
	uint64_t (*value)(void *ctx, const char *file);
	/* The same of a file in the directory of the unit of a CPU ("trcidr/trcidr0"). */
	uint64_t (*cpu_value)(void *ctx, int cpu, const char *file);
	void *ctx;
	uint32_t tsc_ctc_num;	/* CPUID leaf 0x15, ebx: TSC ticks ... */
	uint32_t tsc_ctc_denom; /* ... eax: per so many of the core crystal clock */
};

struct trace_info {
	const char *pmu;	/* name of the PMU */
	uint32_t auxtrace_type; /* perf's enum auxtrace_type */
	/* Of the trace only what PERF_RECORD_AUX tells of is decoded (see perfdata/aux_cover.h). */
	bool told_by_records;
	/* Appends the private part. */
	void (*add_info)(struct buf *b, const struct trace_setup *setup, const struct trace_source *source);
};

/* Appends the whole AUXTRACE_INFO record. */
void trace_info__add_record(const struct trace_info *info, struct buf *b, const struct trace_setup *setup,
			    const struct trace_source *source) _nonnull_(1, 2, 3, 4);

#endif
