// SPDX-License-Identifier: GPL-2.0-only
#include "vcpu_x86.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest_x86.h"
#include "site.h"

const char vcpu__target[] = "x86_64";

/*
 * The INTERRUPT event alone: on x86 it is raised for faults and INT n too, when
 * the CPU has been sent to the handler; the EXCEPTION event has stale addresses.
 */
const enum qemu_plugin_discon_type vcpu__discontinuities = QEMU_PLUGIN_DISCON_INTERRUPT;

static uint64_t unit_tsc(void *opaque)
{
	return guest__clock();
}

static void unit_pmi(void *opaque)
{
	struct vcpu *vcpu = opaque;

	vcpu->arch.perfmon.global_status |= PERFMON_STATUS_TOPA_PMI;
	guest__raise_pmi();
}

static struct pt_unit_ops unit_ops = {
	.memory = {.read = guest__read_physical, .write = guest__write_physical},
	.tsc = unit_tsc,
	.pmi = unit_pmi,
};

static struct flow_context flow_context(void *opaque)
{
	const struct vcpu *vcpu = opaque;

	return guest__context(&vcpu->guest);
}

static void flow_at(void *opaque, uint64_t ip, const struct flow_context *context)
{
	struct vcpu *vcpu = opaque;

	pt_unit__at(vcpu->arch.unit, ip, context);
}

static bool is_traced(const struct pt_registers *registers, uint64_t ip, const struct flow_context *context)
{
	const uint64_t needed =
		RTIT_CTL_TRACEEN | RTIT_CTL_BRANCHEN | (context->level == 0 ? RTIT_CTL_OS : RTIT_CTL_USER);
	bool filtered = false, inside = false;

	if ((registers->ctl & needed) != needed)
		return false;
	if (registers->overflow || registers->status & (RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED))
		return false;
	if ((registers->ctl & RTIT_CTL_CR3FILTER) &&
	    (registers->cr3_match & ~0x1full) != (context->space & ~0x1full))
		return false;
	for (unsigned int i = 0; i < PT_NR_RANGES; i++) {
		if ((registers->ctl >> (32 + 4 * i) & 0xf) != RTIT_ADDR_CFG_FILTER)
			continue;
		filtered = true;
		inside |= registers->range[i][0] <= ip && ip <= registers->range[i][1];
	}
	return inside || !filtered;
}

uint8_t vcpu__traced(const struct vcpu *vcpu, uint64_t ip, const struct flow_context *context, uint8_t flag)
{
	struct pt_registers registers;

	if (!pt_unit__triggered(vcpu->arch.unit)) /* the usual case, and quick */
		return 0;
	pt_unit__registers(vcpu->arch.unit, &registers);
	return is_traced(&registers, ip, context) ? flag : 0;
}

/* The handlers of a 64-bit IDT (SDM vol. 3, "64-Bit Mode IDT"). */
static void read_idt(struct idt *idt)
{
	uint64_t gates[IDT_VECTORS][2];

	memset(idt->handlers, 0, sizeof(idt->handlers));
	if (!idt->base || guest__read_virtual(idt->base, gates, sizeof(gates)) < 0)
		return;
	for (unsigned int i = 0; i < IDT_VECTORS; i++)
		idt->handlers[i] = (gates[i][0] & 0xffff) | (gates[i][0] >> 48) << 16 | gates[i][1] << 32;
}

static int find_vector(const struct idt *idt, uint64_t handler)
{
	for (unsigned int i = 0; i < IDT_VECTORS; i++)
		if (idt->handlers[i] == handler)
			return (int)i;
	return -1;
}

/* The vector of an event that led to handler, or -1. */
static int vector_of(struct vcpu *vcpu, uint64_t handler)
{
	int vector = find_vector(&vcpu->arch.idt, handler);

	if (vector >= 0)
		return vector;
	read_idt(&vcpu->arch.idt);
	return find_vector(&vcpu->arch.idt, handler);
}

static enum oracle_kind kind_of_branch(enum insn_class class)
{
	switch (class) {
	case X86_JCC:
		return ORACLE_JCC;
	case X86_JMP:
		return ORACLE_JMP;
	case X86_CALL:
		return ORACLE_CALL;
	case X86_IND_JMP:
		return ORACLE_IND_JMP;
	case X86_IND_CALL:
		return ORACLE_IND_CALL;
	case X86_RET:
		return ORACLE_RET;
	case X86_SYSCALL:
		return ORACLE_SYSCALL;
	case X86_SYSRET:
		return ORACLE_SYSRET;
	case X86_IRET:
		return ORACLE_IRET;
	case X86_SWINT:
		return ORACLE_SWINT;
	case X86_FAR_JMP:
	case X86_FAR_CALL:
	case X86_FAR_RET:
	case X86_OTHER:
	case X86_CPUID:
	case X86_RDTSC:
	case X86_RDPMC:
	case X86_RDMSR:
	case X86_WRMSR:
	case X86_MOV_TO_CR3:
	case X86_LIDT:
		break;
	}
	return ORACLE_FAR_OTHER;
}

static enum oracle_kind kind_of(const struct flow_transfer *t, int vector)
{
	if (t->kind == FLOW_BRANCH || t->insn.class == X86_SWINT)
		return kind_of_branch(t->insn.class);
	/* Vectors below 32 are the CPU's own; 2 is NMI. */
	return vector >= 0 && vector < 32 && vector != 2 ? ORACLE_EXCEPTION : ORACLE_INTERRUPT;
}

static void flow_transfer(void *opaque, const struct flow_transfer *t)
{
	struct vcpu *vcpu = opaque;
	bool logging = oracle__logging(machine.oracle);
	uint8_t flags = 0;
	uint32_t nr = t->nr;
	int vector = -1;

	if (logging)
		flags = vcpu__traced(vcpu, t->from, &t->before, ORACLE_TRACED_FROM);
	pt_unit__transfer(vcpu->arch.unit, t);
	if (!logging)
		return;
	flags |= vcpu__traced(vcpu, t->to, &t->after, ORACLE_TRACED_TO);
	if (t->kind == FLOW_EVENT)
		vector = vector_of(vcpu, t->to);
	if (t->kind == FLOW_EVENT && t->insn.class != X86_SWINT)
		nr = vector > 0 ? (uint32_t)vector : 0;
	oracle__transfer(machine.oracle, &vcpu->log, t, kind_of(t, vector), nr, flags);
}

static void flow_space(void *opaque, uint64_t ip, const struct flow_context *context,
		       const struct flow_context *old)
{
	struct vcpu *vcpu = opaque;
	uint8_t from = vcpu__traced(vcpu, ip, old, ORACLE_TRACED_FROM);
	uint8_t to = vcpu__traced(vcpu, ip, context, ORACLE_TRACED_TO);

	pt_unit__cr3(vcpu->arch.unit, ip, context);
	if (!from != !to)
		oracle__note(machine.oracle, &vcpu->log, ORACLE_UNIT, ip, ip,
			     (uint32_t)pt_unit__written(vcpu->arch.unit), context, from | to);
}

const struct flow_ops vcpu__flow_ops = {
	.context = flow_context,
	.at = flow_at,
	.transfer = flow_transfer,
	.space = flow_space,
};

bool vcpu__set_option(const char *argument)
{
	char *end;

	if (strncmp(argument, "overflow=", 9) != 0)
		return false;
	unit_ops.overflow_period = strtoull(argument + 9, &end, 10);
	return unit_ops.overflow_period && !*end;
}

int vcpu__init_unit(struct vcpu *vcpu)
{
	vcpu->arch.unit = pt_unit__new(&unit_ops, vcpu);
	return vcpu->arch.unit ? 0 : -ENOMEM;
}

bool vcpu__triggered(const struct vcpu *vcpu)
{
	return pt_unit__triggered(vcpu->arch.unit);
}

void vcpu__on_numbered_branch(unsigned int index, void *site)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	struct insn insn;
	uint32_t nr;

	site__unpack(site, &insn);
	nr = insn.vector;
	if (insn.class == X86_SYSCALL || insn.vector == 0x80)
		nr = (uint32_t)guest__read(&vcpu->guest, GUEST_RAX);
	qemu_plugin_u64_set(machine.branch, index, (uintptr_t)site);
	vcpu__take_branch(vcpu, nr);
}

void vcpu__on_cr3(unsigned int index, void *userdata)
{
	flow__space_write(&machine.vcpus[index].flow);
}

void vcpu__on_lidt(unsigned int index, qemu_plugin_meminfo_t info, uint64_t address, void *userdata)
{
	qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);

	/* The operand is read as a 16-bit limit and a 64-bit base. */
	if (value.type == QEMU_PLUGIN_MEM_VALUE_U64)
		machine.vcpus[index].arch.idt.base = value.data.u64;
}

void vcpu__on_discontinuity(unsigned int index, enum qemu_plugin_discon_type type, uint64_t from, uint64_t to,
			    void *userdata)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	struct flow_context before;

	if (!vcpu->ready || !vcpu->flow.synced)
		return;
	vcpu__take_branch(vcpu, 0);
	if (guest__interrupted(&vcpu->guest, from, &before))
		flow__event(&vcpu->flow, from, to, &before);
	else
		flow__event(&vcpu->flow, from, to, NULL);
}
