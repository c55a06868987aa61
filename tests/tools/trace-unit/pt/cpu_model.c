// SPDX-License-Identifier: GPL-2.0-only
#include "cpu_model.h"

#include <errno.h>
#include <stddef.h>

#include "pt_msr.h"
#include "pt_unit.h"

#define MSR_PMC0 0xc1u
#define MSR_PLATFORM_INFO 0xceu
#define MSR_PERFEVTSEL0 0x186u
#define MSR_FIXED_CTR0 0x309u
#define MSR_FIXED_CTR_CTRL 0x38du
#define MSR_PERF_GLOBAL_STATUS 0x38eu
#define MSR_PERF_GLOBAL_CTRL 0x38fu
#define MSR_PERF_GLOBAL_OVF_CTRL 0x390u

#define COUNTER_BITS 48u
#define COUNTER_MASK ((1ull << COUNTER_BITS) - 1)

/* Leaf 0x14, subleaf 0. */
#define PT_EBX_CR3_FILTER (1u << 0)
#define PT_EBX_PSB_CYC (1u << 1) /* the PSB period can be set */
#define PT_EBX_IP_FILTER (1u << 2)
#define PT_EBX_MTC (1u << 3)
#define PT_ECX_TOPA (1u << 0)
#define PT_ECX_TOPA_MULTI (1u << 1)
#define PT_ECX_SINGLE_RANGE (1u << 2)
/*
 * Subleaf 1. The crystal clock is fast (1 GHz, see leaf 0x15) and the guest slow, so
 * only the long MTC periods are offered: 4 to 32 us. PSB periods: 2 to 64 KiB.
 */
#define PT_MTC_PERIODS 0xf000u
#define PT_PSB_PERIODS 0x003fu

#define LEAF7_EBX_PT (1u << 25)
#define LEAF80000007_EDX_INVARIANT_TSC (1u << 8)

static struct cpuid_regs pt_leaf(uint32_t subleaf)
{
	switch (subleaf) {
	case 0:
		return (struct cpuid_regs){
			.eax = 1, /* highest subleaf */
			.ebx = PT_EBX_CR3_FILTER | PT_EBX_PSB_CYC | PT_EBX_IP_FILTER | PT_EBX_MTC,
			.ecx = PT_ECX_TOPA | PT_ECX_TOPA_MULTI | PT_ECX_SINGLE_RANGE,
		};
	case 1:
		return (struct cpuid_regs){
			.eax = PT_NR_RANGES | PT_MTC_PERIODS << 16,
			.ebx = PT_PSB_PERIODS << 16,
		};
	default:
		return (struct cpuid_regs){0};
	}
}

bool cpu_model__cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
	switch (leaf) {
	case 0x00: /* highest leaf, "GenuineIntel": perf wants it for intel_pt */
		*regs = (struct cpuid_regs){0x16, 0x756e6547, 0x6c65746e, 0x49656e69};
		return true;
	case 0x0a: /* version 2; all 7 architectural events marked as missing */
		*regs = (struct cpuid_regs){
			.eax = 2 | PERFMON_COUNTERS << 8 | COUNTER_BITS << 16 | 7u << 24,
			.ebx = 0x7f,
			.edx = PERFMON_FIXED | COUNTER_BITS << 5,
		};
		return true;
	case 0x14:
		*regs = pt_leaf(subleaf);
		return true;
	case 0x15: /* TSC : crystal, and the crystal's frequency. Linux takes the
		    * frequency of the APIC timer from the crystal, and QEMU's APIC
		    * timer runs at 1 GHz. */
		*regs = (struct cpuid_regs){1, PT_TSC_PER_CTC, CPU_MODEL_TSC_HZ / PT_TSC_PER_CTC, 0};
		return true;
	case 0x16: /* base, highest and bus frequency in MHz */
		*regs = (struct cpuid_regs){1000, 1000, 1000 / PT_CORE_BUS_RATIO, 0};
		return true;
	default:
		return false;
	}
}

bool cpu_model__cpuid_amends(uint32_t leaf, uint32_t subleaf)
{
	return (leaf == 7 && subleaf == 0) || leaf == 0x80000007;
}

bool cpu_model__cpuid_amend(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs)
{
	if (!cpu_model__cpuid_amends(leaf, subleaf))
		return false;
	if (leaf == 7)
		regs->ebx |= LEAF7_EBX_PT;
	else
		regs->edx |= LEAF80000007_EDX_INVARIANT_TSC;
	return true;
}

int cpu_model__read_msr(uint32_t msr, uint64_t *value)
{
	if (msr != MSR_PLATFORM_INFO)
		return -ENOENT;
	*value = PT_CORE_BUS_RATIO << 8; /* maximum ratio without turbo */
	return 0;
}

/* The register behind an MSR number; NULL if it is none of ours. */
static const uint64_t *perfmon_register(const struct perfmon *perfmon, uint32_t msr)
{
	if (msr - MSR_PMC0 < PERFMON_COUNTERS)
		return &perfmon->counter[msr - MSR_PMC0];
	if (msr - MSR_PERFEVTSEL0 < PERFMON_COUNTERS)
		return &perfmon->event[msr - MSR_PERFEVTSEL0];
	if (msr - MSR_FIXED_CTR0 < PERFMON_FIXED)
		return &perfmon->fixed[msr - MSR_FIXED_CTR0];
	switch (msr) {
	case MSR_FIXED_CTR_CTRL:
		return &perfmon->fixed_ctrl;
	case MSR_PERF_GLOBAL_STATUS:
		return &perfmon->global_status;
	case MSR_PERF_GLOBAL_CTRL:
		return &perfmon->global_ctrl;
	default:
		return NULL;
	}
}

int perfmon__read_msr(const struct perfmon *perfmon, uint32_t msr, uint64_t *value)
{
	const uint64_t *reg = perfmon_register(perfmon, msr);

	if (msr == MSR_PERF_GLOBAL_OVF_CTRL) {
		*value = 0;
		return 0;
	}
	if (!reg)
		return -ENOENT;
	*value = *reg;
	return 0;
}

static void store(struct perfmon *perfmon, uint32_t msr, uint64_t value)
{
	if (msr - MSR_PMC0 < PERFMON_COUNTERS) /* the write is 32 bits, sign extended */
		perfmon->counter[msr - MSR_PMC0] = (uint64_t)(int64_t)(int32_t)value & COUNTER_MASK;
	else if (msr - MSR_PERFEVTSEL0 < PERFMON_COUNTERS)
		perfmon->event[msr - MSR_PERFEVTSEL0] = value;
	else if (msr - MSR_FIXED_CTR0 < PERFMON_FIXED)
		perfmon->fixed[msr - MSR_FIXED_CTR0] = value & COUNTER_MASK;
	else if (msr == MSR_FIXED_CTR_CTRL)
		perfmon->fixed_ctrl = value;
	else if (msr == MSR_PERF_GLOBAL_CTRL)
		perfmon->global_ctrl = value;
}

int perfmon__write_msr(struct perfmon *perfmon, uint32_t msr, uint64_t value)
{
	if (msr == MSR_PERF_GLOBAL_OVF_CTRL) {
		perfmon->global_status &= ~value;
		return 0;
	}
	if (!perfmon_register(perfmon, msr))
		return -ENOENT;
	store(perfmon, msr, value);
	return 0;
}
