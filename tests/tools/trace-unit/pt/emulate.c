// SPDX-License-Identifier: GPL-2.0-only
#include "site.h"
#include "vcpu_x86.h"

#include <errno.h>
#include <stdio.h>

/* Goes on behind the instruction at site, without QEMU running it. */
static void __attribute__((noreturn)) skip(const struct vcpu *vcpu, const void *site)
{
	struct insn insn;
	uint32_t offset = site__unpack(site, &insn);

	qemu_plugin_set_pc(vcpu->block_ip + offset + insn.length);
}

static uint64_t ip_of(const struct vcpu *vcpu, const void *site)
{
	struct insn insn;

	return vcpu->block_ip + site__unpack(site, &insn);
}

static void write_edx_eax(const struct vcpu *vcpu, uint64_t value)
{
	guest__write(&vcpu->guest, GUEST_RAX, (uint32_t)value);
	guest__write(&vcpu->guest, GUEST_RDX, value >> 32);
}

static void write_cpuid(const struct vcpu *vcpu, const struct cpuid_regs *regs)
{
	guest__write(&vcpu->guest, GUEST_RAX, regs->eax);
	guest__write(&vcpu->guest, GUEST_RBX, regs->ebx);
	guest__write(&vcpu->guest, GUEST_RCX, regs->ecx);
	guest__write(&vcpu->guest, GUEST_RDX, regs->edx);
}

static struct cpuid_regs read_cpuid(const struct vcpu *vcpu)
{
	return (struct cpuid_regs){
		.eax = (uint32_t)guest__read(&vcpu->guest, GUEST_RAX),
		.ebx = (uint32_t)guest__read(&vcpu->guest, GUEST_RBX),
		.ecx = (uint32_t)guest__read(&vcpu->guest, GUEST_RCX),
		.edx = (uint32_t)guest__read(&vcpu->guest, GUEST_RDX),
	};
}

void emulate__cpuid(unsigned int index, void *site)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	struct cpuid_regs regs = read_cpuid(vcpu);
	struct cpuid_regs answer = regs;

	if (regs.eax == ORACLE_MARK_LEAF) {
		vcpu__mark(vcpu, ip_of(vcpu, site), regs.ebx, guest__read(&vcpu->guest, GUEST_RCX),
			   guest__read(&vcpu->guest, GUEST_RDX));
		answer.eax = ORACLE_MARK_ANSWER;
	} else if (!cpu_model__cpuid(regs.eax, regs.ecx, &answer)) {
		/* QEMU answers; emulate__cpuid_amend() runs before the next one. */
		vcpu->arch.cpuid_leaf = regs.eax;
		vcpu->arch.cpuid_subleaf = regs.ecx;
		return;
	}
	write_cpuid(vcpu, &answer);
	skip(vcpu, site);
}

void emulate__cpuid_amend(unsigned int index, void *userdata)
{
	const struct vcpu *vcpu = &machine.vcpus[index];
	struct cpuid_regs regs;

	if (!cpu_model__cpuid_amends(vcpu->arch.cpuid_leaf, vcpu->arch.cpuid_subleaf))
		return;
	regs = read_cpuid(vcpu);
	if (cpu_model__cpuid_amend(vcpu->arch.cpuid_leaf, vcpu->arch.cpuid_subleaf, &regs))
		write_cpuid(vcpu, &regs);
}

void emulate__rdtsc(unsigned int index, void *site)
{
	const struct vcpu *vcpu = &machine.vcpus[index];

	write_edx_eax(vcpu, guest__clock());
	skip(vcpu, site);
}

void emulate__rdpmc(unsigned int index, void *site)
{
	const struct vcpu *vcpu = &machine.vcpus[index];

	write_edx_eax(vcpu, 0); /* the counters never count */
	skip(vcpu, site);
}

#define MSR_IA32_TSC 0x10u

static int read_msr(struct vcpu *vcpu, uint32_t msr, uint64_t *value)
{
	if (msr == MSR_IA32_TSC) {
		*value = guest__clock();
		return 0;
	}
	if (!cpu_model__read_msr(msr, value) || !perfmon__read_msr(&vcpu->arch.perfmon, msr, value))
		return 0;
	return pt_unit__read_msr(vcpu->arch.unit, msr, value);
}

void emulate__rdmsr(unsigned int index, void *site)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	uint64_t value;

	if (read_msr(vcpu, (uint32_t)guest__read(&vcpu->guest, GUEST_RCX), &value) < 0)
		return; /* QEMU's */
	write_edx_eax(vcpu, value);
	skip(vcpu, site);
}

static bool is_switched_on(const struct vcpu *vcpu)
{
	struct pt_registers registers;

	pt_unit__registers(vcpu->arch.unit, &registers);
	return registers.ctl & RTIT_CTL_TRACEEN;
}

/* A write to the unit's registers; a switch is logged, also that of a unit that a full buffer has stopped. */
static int write_unit(struct vcpu *vcpu, uint32_t msr, uint64_t value, uint64_t ip, uint64_t next)
{
	struct flow_context context = guest__context(&vcpu->guest);
	uint8_t from = vcpu__traced(vcpu, ip, &context, ORACLE_TRACED_FROM), to;
	bool was_on = is_switched_on(vcpu);
	uint64_t unused;

	if (pt_unit__read_msr(vcpu->arch.unit, msr, &unused) < 0)
		return -ENOENT;
	pt_unit__write_msr(vcpu->arch.unit, msr, value, ip, &context);
	vcpu__update(vcpu);
	to = vcpu__traced(vcpu, next, &context, ORACLE_TRACED_TO);
	if (!from != !to || was_on != is_switched_on(vcpu)) {
		oracle__sync(machine.oracle, &vcpu->log, &vcpu->guest);
		oracle__note(machine.oracle, &vcpu->log, ORACLE_UNIT, ip, next,
			     (uint32_t)pt_unit__written(vcpu->arch.unit), &context, from | to);
	}
	return 0;
}

void emulate__wrmsr(unsigned int index, void *site)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	uint32_t msr = (uint32_t)guest__read(&vcpu->guest, GUEST_RCX);
	uint64_t value = (uint32_t)guest__read(&vcpu->guest, GUEST_RAX) | guest__read(&vcpu->guest, GUEST_RDX)
										  << 32;
	struct insn insn;
	uint64_t ip = vcpu->block_ip + site__unpack(site, &insn);

	/* The TSC is the host's clock: writes to it have no effect. */
	if (msr != MSR_IA32_TSC && perfmon__write_msr(&vcpu->arch.perfmon, msr, value) < 0 &&
	    write_unit(vcpu, msr, value, ip, ip + insn.length) < 0)
		return; /* QEMU's */
	skip(vcpu, site);
}
