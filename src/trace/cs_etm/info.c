// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the AUXTRACE_INFO of cs_etm: tools/perf/util/cs-etm.h, filled as cs_etm_info_fill() of perf's arm
 * part does.
 */
#include <stddef.h>

#include "trace/cs_etm/sync.h"
#include "trace/trace_pmu.h"

#define AUXTRACE_CS_ETM 3

#define HEADER_VERSION 2
#define MAGIC_ETMV4 0x4040404040404040ull
#define MAGIC_ETE 0x5050505050505050ull

#define DEVARCH "mgmt/trcdevarch"

/* The bits of TRCCONFIGR that the driver sets for a term (drivers/hwtracing/coresight/coresight-etm4x.h). */
static const struct {
	const char *term;
	uint64_t bits;
} config_bits[] = {
	{"branch_broadcast", 1u << 3},	    {"cycacc", 1u << 4},     {"contextid1", 1u << 6},
	{"contextid2", 1u << 7 | 1u << 15}, {"timestamp", 1u << 11}, {"retstack", 1u << 12},
};

static uint64_t make_config(const struct trace_setup *setup, const struct trace_source *src)
{
	uint64_t config = 0;

	for (size_t i = 0; i < ARRAY_SIZE(config_bits); i++)
		if (setup->config & src->format_bits(src->ctx, config_bits[i].term))
			config |= config_bits[i].bits;
	return config;
}

/* Returns the ID that kernels before 6.1 gave the trace of a CPU; later ones tell it in a record. */
static uint64_t trace_id(int cpu)
{
	return 0x10 + (uint64_t)cpu % 48 * 2;
}

/* Returns the counter that time stamps are from: 1 for the kernel's; all ones if a kernel is too old, or a
 * unit unable, to tell. */
static uint64_t time_source(const struct trace_source *src, int cpu)
{
	return src->cpu_value(src->ctx, cpu, "ts_source") ?: UINT64_MAX;
}

static void add_cpu(struct buf *b, const struct trace_setup *setup, const struct trace_source *src, int cpu)
{
	static const char *const registers[] = {"trcidr/trcidr0", "trcidr/trcidr1", "trcidr/trcidr2",
						"trcidr/trcidr8", "mgmt/trcauthstatus"};
	const uint64_t devarch = src->cpu_value(src->ctx, cpu, DEVARCH);
	const bool ete = (devarch & ETM_DEVARCH_MASK) == ETM_DEVARCH_ETE;

	buf__add_u64(b, ete ? MAGIC_ETE : MAGIC_ETMV4);
	buf__add_u64(b, (uint64_t)cpu);
	buf__add_u64(b, ete ? 9 : 8); /* the number of words that follow */
	buf__add_u64(b, make_config(setup, src));
	buf__add_u64(b, trace_id(cpu));
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		buf__add_u64(b, src->cpu_value(src->ctx, cpu, registers[i]));
	if (ete)
		buf__add_u64(b, devarch);
	buf__add_u64(b, time_source(src, cpu));
}

static void cs_etm__add_info(struct buf *b, const struct trace_setup *setup, const struct trace_source *src)
{
	buf__add_u64(b, HEADER_VERSION);
	buf__add_u64(b, (uint64_t)setup->pmu_type << 32 | setup->nr_cpus);
	buf__add_u64(b, 0); /* "snapshot", which no decoder asks for */
	for (unsigned int i = 0; i < setup->nr_cpus; i++)
		add_cpu(b, setup, src, setup->cpus[i]);
}

const struct trace_info cs_etm_info = {
	.pmu = "cs_etm",
	.auxtrace_type = AUXTRACE_CS_ETM,
	.add_info = cs_etm__add_info,
	.told_by_records = true,
};
