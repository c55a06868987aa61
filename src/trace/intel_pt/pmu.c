// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU of Intel PT. Its driver is arch/x86/events/intel/pt.c, the defaults are those of
 * tools/perf/arch/x86/util/intel-pt.c.
 */
#include "trace/trace_pmu.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"
#include "trace/intel_pt/resume.h"
#include "trace/intel_pt/sync.h"

#define INTEL_PT "/sys/bus/event_source/devices/intel_pt"

static uint64_t read_hex(const char *root, const char *file)
{
	char text[64];

	/* The caps files have hexadecimal numbers without 0x. */
	if (path__read(root, text, sizeof(text), INTEL_PT "/%s", file) < 0)
		return 0;
	return strtoull(text, NULL, 16);
}

/* Returns the nearest period to @wanted that the hardware has, a shorter one if possible. -1 if it has
 * none. */
static int pick_period(uint64_t supported, int wanted)
{
	for (int bit = wanted; bit >= 0; bit--) {
		if (supported >> bit & 1)
			return bit;
	}
	for (int bit = wanted + 1; bit < 64; bit++) {
		if (supported >> bit & 1)
			return bit;
	}
	return -1;
}

static int set_period(const struct trace_pmu *pmu, const char *cap, const char *term,
		      struct pmu_config *config)
{
	int period = pick_period(read_hex(pmu->root, cap), 3);
	char terms[64];

	if (period < 0)
		return 0;
	snprintf(terms, sizeof(terms), "%s=%d", term, period);
	return pmu_terms__parse(pmu->root, "intel_pt", terms, config);
}

static int default_config(const struct trace_pmu *pmu, struct pmu_config *config)
{
	static const char *const wanted[] = {"tsc", "pt", "branch"};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(wanted); i++) {
		/* Old kernels have no "pt" and "branch": both are always on there. */
		if (path__exists(pmu->root, INTEL_PT "/format/%s", wanted[i]))
			err = pmu_terms__parse(pmu->root, "intel_pt", wanted[i], config);
	}
	if (!err && read_hex(pmu->root, "caps/mtc")) {
		err = pmu_terms__parse(pmu->root, "intel_pt", "mtc", config);
		if (!err)
			err = set_period(pmu, "caps/mtc_periods", "mtc_period", config);
	}
	if (!err && read_hex(pmu->root, "caps/psb_cyc"))
		err = set_period(pmu, "caps/psb_periods", "psb_period", config);
	return err;
}

/* Sets the shortest PSB period: decoding begins at a PSB, so the more there are, the less of a piece is
 * lost. */
static int sample_config(const struct trace_pmu *pmu, struct pmu_config *config)
{
	static const char cap[] = "caps/psb_periods";
	char term[32];

	if (!read_hex(pmu->root, "caps/psb_cyc"))
		return 0;
	snprintf(term, sizeof(term), "psb_period=%d", pick_period(read_hex(pmu->root, cap), 0));
	return pmu_terms__parse(pmu->root, "intel_pt", term, config);
}

const struct trace_pmu_ops intel_pt_ops = {
	.name = "intel_pt",
	.info = &intel_pt_info,
	.default_config = default_config,
	.sample_config = sample_config,
	.buffer_advice = "try a smaller --aux-size",
	.aux_head = AUX_HEAD_OFFSET,
	.next_sync = pt_sync__next,
	.follow = pt_resume__follow,
	.lead_in = pt_resume__lead_in,
	.whole = pt_sync__whole,
	.gap = pt_sync__gap,
};
