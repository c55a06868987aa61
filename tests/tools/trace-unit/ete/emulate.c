// SPDX-License-Identifier: GPL-2.0-only
#include "guest_arm.h"
#include "site.h"
#include "vcpu_arm.h"

/* ID_AA64DFR0_EL1: fields that say what there is; 1 each. */
#define DFR0_TRACEVER_SHIFT 4
#define DFR0_TRACEFILT_SHIFT 40
#define DFR0_TRACEBUFFER_SHIFT 44

/* Goes on behind the instruction at site, without QEMU running it. */
static void __attribute__((noreturn)) skip(const struct vcpu *vcpu, const void *site)
{
	struct insn insn;
	uint32_t offset = site__unpack(site, &insn);

	qemu_plugin_set_pc(insn__next(&insn, vcpu->block_ip + offset));
}

/* The unit's registers are the kernel's: in a program QEMU raises the fault. */
static bool is_allowed(const struct vcpu *vcpu)
{
	struct flow_context context = guest__context(&vcpu->guest);

	return !guest__is_user(&context);
}

void emulate__mrs(unsigned int index, void *site)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	struct insn insn;
	uint64_t value;

	site__unpack(site, &insn);
	if (!is_allowed(vcpu) || ete_unit__read(vcpu->arch.unit, insn.sysreg, &value) < 0)
		return; /* QEMU's */
	guest__write_x(&vcpu->guest, insn.rt, value);
	skip(vcpu, site);
}

static uint64_t set_field(uint64_t value, unsigned int shift)
{
	return (value & ~(UINT64_C(15) << shift)) | UINT64_C(1) << shift;
}

void emulate__mrs_dfr0(unsigned int index, void *site)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	uint64_t value = guest__read(&vcpu->guest, GUEST_ID_AA64DFR0_EL1);
	struct insn insn;

	if (!is_allowed(vcpu))
		return; /* programs are to ask the kernel */
	site__unpack(site, &insn);
	value = set_field(value, DFR0_TRACEVER_SHIFT);
	value = set_field(value, DFR0_TRACEFILT_SHIFT);
	guest__write_x(&vcpu->guest, insn.rt, set_field(value, DFR0_TRACEBUFFER_SHIFT));
	skip(vcpu, site);
}

struct switches {
	bool unit, buffer;
};

static struct switches read_switches(const struct vcpu *vcpu)
{
	struct ete_registers registers;

	ete_unit__registers(vcpu->arch.unit, &registers);
	return (struct switches){
		.unit = registers.trcprgctlr & TRCPRGCTLR_EN,
		.buffer = registers.trblimitr & TRBLIMITR_E,
	};
}

/* A write to the unit's registers; a switch is logged, also that of a unit that a full buffer has stopped. */
static int write_unit(struct vcpu *vcpu, uint16_t sysreg, uint64_t value, uint64_t ip)
{
	struct flow_context context = guest__context(&vcpu->guest);
	uint8_t from = vcpu__traced(vcpu, ip, &context, ORACLE_TRACED_FROM), to;
	struct switches was = read_switches(vcpu), is;

	if (ete_unit__write(vcpu->arch.unit, sysreg, value) < 0)
		return -1;
	vcpu__update(vcpu);
	to = vcpu__traced(vcpu, ip + 4, &context, ORACLE_TRACED_TO);
	is = read_switches(vcpu);
	if (!from != !to || was.unit != is.unit || was.buffer != is.buffer) {
		oracle__sync(machine.oracle, &vcpu->log, &vcpu->guest);
		if (!to)
			vcpu__log_passed(vcpu, &context);
		oracle__note(machine.oracle, &vcpu->log, ORACLE_UNIT, ip, ip + 4,
			     (uint32_t)ete_unit__written(vcpu->arch.unit), &context,
			     from | to | (was.buffer && !is.buffer ? ORACLE_BUFFER_OFF : 0));
	}
	return 0;
}

void emulate__msr(unsigned int index, void *site)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	struct insn insn;
	uint64_t ip = vcpu->block_ip + site__unpack(site, &insn);

	if (!is_allowed(vcpu) || write_unit(vcpu, insn.sysreg, guest__read_x(&vcpu->guest, insn.rt), ip) < 0)
		return; /* QEMU's */
	skip(vcpu, site);
}

void emulate__mark(unsigned int index, void *site)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	struct insn insn;
	uint64_t ip = vcpu->block_ip + site__unpack(site, &insn);

	if ((uint32_t)guest__read_x(&vcpu->guest, 0) != ORACLE_MARK_LEAF)
		return;
	vcpu__mark(vcpu, ip, (uint32_t)guest__read_x(&vcpu->guest, 1), guest__read_x(&vcpu->guest, 2),
		   guest__read_x(&vcpu->guest, 3));
	guest__write_x(&vcpu->guest, 0, ORACLE_MARK_ANSWER);
}

void emulate__counter_read(unsigned int index, void *userdata)
{
	machine.vcpus[index].arch.counter_read = true;
}

void emulate__counter_was_read(unsigned int index, void *site)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	struct insn insn;

	site__unpack(site, &insn);
	if (vcpu->arch.counter_read && insn.rt < 31)
		guest__clock_was_read(&vcpu->guest, guest__read_x(&vcpu->guest, insn.rt));
	vcpu->arch.counter_read = false;
}
