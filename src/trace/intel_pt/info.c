// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the AUXTRACE_INFO of intel_pt: tools/perf/util/intel-pt.h, filled as intel_pt_info_fill() of perf's
 * x86 part does.
 */
#include "trace/trace_pmu.h"

#define AUXTRACE_INTEL_PT 1

/* The value of have_sched_switch (tools/perf/util/intel-pt.c) for switches as PERF_RECORD_SWITCH_CPU_WIDE. */
#define HAVE_SWITCHES_OF_CPU 3

enum intel_pt_info {
	PT_PMU_TYPE,
	PT_TIME_SHIFT,
	PT_TIME_MULT,
	PT_TIME_ZERO,
	PT_CAP_USER_TIME_ZERO,
	PT_TSC_BIT,
	PT_NORETCOMP_BIT,
	PT_HAVE_SCHED_SWITCH,
	PT_SNAPSHOT_MODE,
	PT_PER_CPU_MMAPS,
	PT_MTC_BIT,
	PT_MTC_FREQ_BITS,
	PT_TSC_CTC_N,
	PT_TSC_CTC_D,
	PT_CYC_BIT,
	PT_MAX_NONTURBO_RATIO,
	PT_FILTER_STR_LEN,
	PT_INFO_MAX,
};

static void intel_pt__add_info(struct buf *b, const struct trace_setup *setup, const struct trace_source *src)
{
	const bool has_tsc = setup->tsc.cap_zero;
	const uint64_t info[PT_INFO_MAX] = {
		[PT_PMU_TYPE] = setup->pmu_type,
		[PT_TIME_SHIFT] = has_tsc ? setup->tsc.shift : 0,
		[PT_TIME_MULT] = has_tsc ? setup->tsc.mult : 0,
		[PT_TIME_ZERO] = has_tsc ? setup->tsc.zero : 0,
		[PT_CAP_USER_TIME_ZERO] = has_tsc,
		[PT_TSC_BIT] = src->format_bits(src->ctx, "tsc"),
		[PT_NORETCOMP_BIT] = src->format_bits(src->ctx, "noretcomp"),
		[PT_HAVE_SCHED_SWITCH] = HAVE_SWITCHES_OF_CPU,
		/* If set, the decoder searches for the seam of overlapping pieces; ours do not overlap. */
		[PT_SNAPSHOT_MODE] = 0,
		[PT_PER_CPU_MMAPS] = 1,
		[PT_MTC_BIT] = src->format_bits(src->ctx, "mtc"),
		[PT_MTC_FREQ_BITS] = src->format_bits(src->ctx, "mtc_period"),
		[PT_TSC_CTC_N] = src->tsc_ctc_num,
		[PT_TSC_CTC_D] = src->tsc_ctc_denom,
		[PT_CYC_BIT] = src->format_bits(src->ctx, "cyc"),
		[PT_MAX_NONTURBO_RATIO] = src->value(src->ctx, "max_nonturbo_ratio"),
	};

	buf__add(b, info, sizeof(info));
	buf__add_u64(b, src->value(src->ctx, "caps/event_trace"));
}

const struct trace_info intel_pt_info = {
	.pmu = "intel_pt",
	.auxtrace_type = AUXTRACE_INTEL_PT,
	.add_info = intel_pt__add_info,
};
