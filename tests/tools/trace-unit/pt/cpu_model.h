/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the guest's CPU says of itself: the CPUID leaves and model specific registers
 * that go with Intel PT and that QEMU does not have.
 */
#ifndef CPU_MODEL_H
#define CPU_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define CPU_MODEL_TSC_HZ 1000000000u

struct cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

/** Answers leaf and subleaf in *regs; false if QEMU's own answer stands. */
bool cpu_model__cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);

/** Adds to QEMU's answer of a leaf what it lacks; false if there is nothing. */
bool cpu_model__cpuid_amend(uint32_t leaf, uint32_t subleaf, struct cpuid_regs *regs);

/* Is a leaf one that cpu_model__cpuid_amend() changes? */
bool cpu_model__cpuid_amends(uint32_t leaf, uint32_t subleaf);

#define PERFMON_COUNTERS 4u
#define PERFMON_FIXED 3u

/*
 * Performance monitoring, version 2: present because the PT interrupt is reported in
 * its status register. Its counters hold what is written to them and never count.
 */
struct perfmon {
	uint64_t counter[PERFMON_COUNTERS];
	uint64_t event[PERFMON_COUNTERS];
	uint64_t fixed[PERFMON_FIXED];
	uint64_t fixed_ctrl;
	uint64_t global_status;
	uint64_t global_ctrl;
};

#define PERFMON_STATUS_TOPA_PMI (1ull << 55)

/** Returns 0, or -ENOENT if msr is none of these. */
int perfmon__read_msr(const struct perfmon *perfmon, uint32_t msr, uint64_t *value);
int perfmon__write_msr(struct perfmon *perfmon, uint32_t msr, uint64_t value);

/** Registers that only say what the CPU is; -ENOENT if msr is none. */
int cpu_model__read_msr(uint32_t msr, uint64_t *value);

#endif
