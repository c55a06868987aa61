// SPDX-License-Identifier: GPL-2.0-only
#include "vcpu.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "site.h"

struct machine machine;

/* Orders a vCPU's own decision to go idle against another's to start the log. */
static pthread_mutex_t active_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t unit_tsc(void *opaque)
{
	return guest__tsc();
}

static void unit_pmi(void *opaque)
{
	struct vcpu *vcpu = opaque;

	vcpu->perfmon.global_status |= PERFMON_STATUS_TOPA_PMI;
	guest__raise_pmi();
}

static const struct pt_unit_ops unit_ops = {
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

	pt_unit__at(vcpu->unit, ip, context);
}

uint8_t vcpu__traced(const struct vcpu *vcpu, uint64_t ip, const struct flow_context *context, uint8_t flag)
{
	struct pt_registers registers;

	if (!pt_unit__triggered(vcpu->unit)) /* the usual case, and quick */
		return 0;
	pt_unit__registers(vcpu->unit, &registers);
	return oracle__traced(&registers, ip, context) ? flag : 0;
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
	int vector = find_vector(&vcpu->idt, handler);

	if (vector >= 0)
		return vector;
	read_idt(&vcpu->idt);
	return find_vector(&vcpu->idt, handler);
}

static void flow_transfer(void *opaque, const struct flow_transfer *t)
{
	struct vcpu *vcpu = opaque;
	bool logging = oracle__logging(machine.oracle);
	uint8_t flags = 0;
	int vector = -1;

	if (logging)
		flags = vcpu__traced(vcpu, t->from, &t->before, ORACLE_TRACED_FROM);
	pt_unit__transfer(vcpu->unit, t);
	if (!logging)
		return;
	flags |= vcpu__traced(vcpu, t->to, &t->after, ORACLE_TRACED_TO);
	if (t->kind == FLOW_EVENT)
		vector = vector_of(vcpu, t->to);
	oracle__transfer(machine.oracle, &vcpu->log, t, flags, vector);
}

static void flow_cr3(void *opaque, uint64_t ip, const struct flow_context *context,
		     const struct flow_context *old)
{
	struct vcpu *vcpu = opaque;
	uint8_t from = vcpu__traced(vcpu, ip, old, ORACLE_TRACED_FROM);
	uint8_t to = vcpu__traced(vcpu, ip, context, ORACLE_TRACED_TO);

	pt_unit__cr3(vcpu->unit, ip, context);
	if (!from != !to)
		oracle__note(machine.oracle, &vcpu->log, ORACLE_UNIT, ip, ip,
			     (uint32_t)pt_unit__written(vcpu->unit), context, from | to);
}

static const struct flow_ops flow_ops = {
	.context = flow_context,
	.at = flow_at,
	.transfer = flow_transfer,
	.cr3 = flow_cr3,
};

int vcpu__init(struct vcpu *vcpu, unsigned int index)
{
	int err = guest__init(&vcpu->guest);

	if (err < 0)
		return err;
	vcpu->index = index;
	vcpu->log.cpu = (uint16_t)index;
	flow__init(&vcpu->flow, &flow_ops, vcpu);
	vcpu->unit = pt_unit__new(&unit_ops, vcpu);
	if (!vcpu->unit)
		return -ENOMEM;
	vcpu__update(vcpu);
	return 0;
}

/* Must the vCPU's branches be reported? */
static bool wants_branches(const struct vcpu *vcpu)
{
	return pt_unit__triggered(vcpu->unit) || oracle__wants_all(machine.oracle, &vcpu->log);
}

void vcpu__update(struct vcpu *vcpu)
{
	bool active;

	pthread_mutex_lock(&active_lock);
	active = wants_branches(vcpu);
	qemu_plugin_u64_set(machine.active, vcpu->index, active);
	pthread_mutex_unlock(&active_lock);
	if (!active)
		flow__lose(&vcpu->flow);
}

void vcpu__update_all(struct vcpu *vcpu)
{
	pthread_mutex_lock(&active_lock);
	for (unsigned int i = 0; i < machine.nr_vcpus; i++)
		if (machine.vcpus[i].unit)
			qemu_plugin_u64_set(machine.active, i, 1);
	pthread_mutex_unlock(&active_lock);
	vcpu__update(vcpu);
}

void vcpu__on_block_ip(unsigned int index, void *userdata)
{
	struct vcpu *vcpu = &machine.vcpus[index];

	vcpu->block_ip = guest__read(&vcpu->guest, GUEST_RIP);
}

/*
 * Tells the flow of the branch at the end of the last block, if it was come to. Blocks store the site of
 * their branch inline, which is far quicker than a callback; stores made while the vCPU was idle mean
 * nothing.
 */
static void take_branch(struct vcpu *vcpu, uint32_t nr)
{
	uint64_t site = qemu_plugin_u64_get(machine.branch, vcpu->index);
	struct x86_insn insn;
	uint32_t offset;

	if (!site)
		return;
	qemu_plugin_u64_set(machine.branch, vcpu->index, 0);
	offset = site__unpack((const void *)(uintptr_t)site, &insn);
	flow__branch(&vcpu->flow, &insn, vcpu->watched_ip + offset, nr);
}

void vcpu__on_block(unsigned int index, void *userdata)
{
	struct vcpu *vcpu = &machine.vcpus[index];

	take_branch(vcpu, 0);
	vcpu->watched_ip = guest__read(&vcpu->guest, GUEST_RIP);
	oracle__sync(machine.oracle, &vcpu->log, &vcpu->guest);
	flow__block(&vcpu->flow, vcpu->watched_ip);
	if (!wants_branches(vcpu))
		vcpu__update(vcpu);
}

void vcpu__on_switch(unsigned int index, void *userdata)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	uint64_t ip = guest__read(&vcpu->guest, GUEST_RIP);

	if (ip != oracle__symbol(machine.oracle, ORACLE_SYM_SWITCH_TO) || !oracle__logging(machine.oracle))
		return;
	oracle__switch(machine.oracle, &vcpu->log, &vcpu->guest, ip);
	vcpu__update(vcpu);
}

void vcpu__on_numbered_branch(unsigned int index, void *site)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	struct x86_insn insn;
	uint32_t nr;

	site__unpack(site, &insn);
	nr = insn.vector;
	if (insn.class == X86_SYSCALL || insn.vector == 0x80)
		nr = (uint32_t)guest__read(&vcpu->guest, GUEST_RAX);
	qemu_plugin_u64_set(machine.branch, index, (uintptr_t)site);
	take_branch(vcpu, nr);
}

void vcpu__on_cr3(unsigned int index, void *userdata)
{
	flow__cr3_write(&machine.vcpus[index].flow);
}

void vcpu__on_lidt(unsigned int index, qemu_plugin_meminfo_t info, uint64_t address, void *userdata)
{
	qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);

	/* The operand is read as a 16-bit limit and a 64-bit base. */
	if (value.type == QEMU_PLUGIN_MEM_VALUE_U64)
		machine.vcpus[index].idt.base = value.data.u64;
}

void vcpu__on_discontinuity(unsigned int index, enum qemu_plugin_discon_type type, uint64_t from, uint64_t to,
			    void *userdata)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	struct flow_context before;

	if (!vcpu->unit || !vcpu->flow.synced)
		return;
	take_branch(vcpu, 0);
	if (guest__interrupted(&vcpu->guest, from, &before))
		flow__event(&vcpu->flow, from, to, &before);
	else
		flow__event(&vcpu->flow, from, to, NULL);
}
