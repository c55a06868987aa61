// SPDX-License-Identifier: GPL-2.0-only
#include "cpu_model.h"

#include <errno.h>

#include "check.h"

static void check_cpuid(void)
{
	struct cpuid_regs r;

	CHECK(cpu_model__cpuid(0, 0, &r));
	CHECK(r.eax >= 0x16 && !memcmp(&r.ebx, "Genu", 4) && !memcmp(&r.edx, "ineI", 4) &&
	      !memcmp(&r.ecx, "ntel", 4));
	CHECK(cpu_model__cpuid(0x14, 0, &r));
	CHECK_EQ(r.eax, 1);
	CHECK_EQ(r.ebx, 0xf); /* CR3 filter, PSB period, address filter, MTC */
	CHECK_EQ(r.ecx, 0x7); /* ToPA with many entries, single range; no linear IPs */
	CHECK(cpu_model__cpuid(0x14, 1, &r));
	CHECK((r.eax & 7) >= 2);
	CHECK(r.eax >> 16 && r.ebx >> 16 && !(r.ebx & 0xffff));
	CHECK(cpu_model__cpuid(0x14, 2, &r));
	CHECK_EQ(r.eax | r.ebx | r.ecx | r.edx, 0);
	CHECK(cpu_model__cpuid(0x15, 0, &r));
	CHECK_EQ((uint64_t)r.ecx * r.ebx / r.eax, CPU_MODEL_TSC_HZ);
	CHECK(!cpu_model__cpuid(1, 0, &r));
}

static void check_amended(void)
{
	struct cpuid_regs r = {1, 2, 3, 4};

	CHECK(!cpu_model__cpuid_amend(7, 1, &r));
	CHECK(cpu_model__cpuid_amend(7, 0, &r));
	CHECK_EQ(r.ebx, 2 | 1u << 25);
	CHECK(cpu_model__cpuid_amend(0x80000007, 5, &r));
	CHECK_EQ(r.edx, 4 | 1u << 8);
	CHECK(!cpu_model__cpuid_amends(1, 0));
}

static void check_perfmon(void)
{
	struct perfmon p = {.global_status = PERFMON_STATUS_TOPA_PMI | 1};
	uint64_t value;

	CHECK_EQ(perfmon__read_msr(&p, 0x38e, &value), 0);
	CHECK_EQ(value, PERFMON_STATUS_TOPA_PMI | 1);
	CHECK_EQ(perfmon__write_msr(&p, 0x38e, 0), 0); /* read-only */
	CHECK_EQ(perfmon__write_msr(&p, 0x390, PERFMON_STATUS_TOPA_PMI), 0);
	CHECK_EQ(p.global_status, 1);
	CHECK_EQ(perfmon__write_msr(&p, 0xc2, 0xfffffffe), 0);
	CHECK_EQ(perfmon__read_msr(&p, 0xc2, &value), 0);
	CHECK_EQ(value, 0xfffffffffffeull);
	CHECK_EQ(perfmon__write_msr(&p, 0x38f, 0x70000000f), 0);
	CHECK_EQ(p.global_ctrl, 0x70000000full);
	CHECK_EQ(perfmon__read_msr(&p, 0xc1 + PERFMON_COUNTERS, &value), -ENOENT);
	CHECK_EQ(perfmon__write_msr(&p, 0x10, 0), -ENOENT);
	CHECK_EQ(cpu_model__read_msr(0xce, &value), 0);
	CHECK_EQ(value, 10 << 8);
	CHECK_EQ(cpu_model__read_msr(0xcf, &value), -ENOENT);
}

int main(void)
{
	check_cpuid();
	check_amended();
	check_perfmon();
	return check__done();
}
