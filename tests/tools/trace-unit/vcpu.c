// SPDX-License-Identifier: GPL-2.0-only
#include "vcpu.h"

#include <errno.h>
#include <pthread.h>

#include "site.h"

struct machine machine;

/* Orders a vCPU's own decision to go idle against another's to start the log. */
static pthread_mutex_t active_lock = PTHREAD_MUTEX_INITIALIZER;

int vcpu__init(struct vcpu *vcpu, unsigned int index)
{
	int err = guest__init(&vcpu->guest);

	if (err < 0)
		return err;
	vcpu->index = index;
	vcpu->log.cpu = (uint16_t)index;
	flow__init(&vcpu->flow, &vcpu__flow_ops, vcpu);
	err = vcpu__init_unit(vcpu);
	if (err < 0)
		return err;
	vcpu->ready = true;
	vcpu__update(vcpu);
	return 0;
}

/* Must the vCPU's branches be reported? */
static bool wants_branches(const struct vcpu *vcpu)
{
	return vcpu__triggered(vcpu) || oracle__wants_all(machine.oracle, &vcpu->log);
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
		if (machine.vcpus[i].ready)
			qemu_plugin_u64_set(machine.active, i, 1);
	pthread_mutex_unlock(&active_lock);
	vcpu__update(vcpu);
}

void vcpu__on_block_ip(unsigned int index, void *userdata)
{
	struct vcpu *vcpu = &machine.vcpus[index];

	vcpu->block_ip = guest__ip(&vcpu->guest);
}

/*
 * Tells the flow of the branch at the end of the last block, if it was come to. Blocks store the site of
 * their branch inline, which is far quicker than a callback; stores made while the vCPU was idle mean
 * nothing.
 */
void vcpu__take_branch(struct vcpu *vcpu, uint32_t nr)
{
	uint64_t site = qemu_plugin_u64_get(machine.branch, vcpu->index);
	struct insn insn;
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

	vcpu__take_branch(vcpu, 0);
	vcpu->watched_ip = guest__ip(&vcpu->guest);
	oracle__sync(machine.oracle, &vcpu->log, &vcpu->guest);
	flow__block(&vcpu->flow, vcpu->watched_ip);
	if (!wants_branches(vcpu))
		vcpu__update(vcpu);
}

void vcpu__on_switch(unsigned int index, void *userdata)
{
	struct vcpu *vcpu = &machine.vcpus[index];
	uint64_t ip = guest__ip(&vcpu->guest);

	if (ip != oracle__symbol(machine.oracle, ORACLE_SYM_SWITCH_TO) || !oracle__logging(machine.oracle))
		return;
	oracle__switch(machine.oracle, &vcpu->log, &vcpu->guest, ip);
	vcpu__update(vcpu);
}
