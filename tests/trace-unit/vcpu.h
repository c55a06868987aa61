/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One virtual CPU of the guest with its trace unit, and the callbacks that keep the
 * unit and the oracle log told of what it does.
 *
 * A struct vcpu belongs to its vCPU's thread. Between threads only the oracle log
 * (locked) and the scoreboard of active vCPUs (see vcpu__update()) are shared.
 */
#ifndef VCPU_H
#define VCPU_H

#include "cpu_model.h"
#include "flow.h"
#include "guest.h"
#include "oracle.h"
#include "pt_unit.h"

#define IDT_VECTORS 256u

/* Which handler belongs to which vector, read from the guest when needed. */
struct idt {
	uint64_t base; /* as LIDT loaded it; 0: not seen */
	uint64_t handlers[IDT_VECTORS];
};

struct vcpu {
	unsigned int index;
	struct guest guest;
	struct flow flow;
	struct pt_unit *unit;
	struct perfmon perfmon;
	struct oracle_cpu log;
	struct idt idt;
	uint64_t block_ip;   /* where the running block began; for blocks with emulated instructions */
	uint64_t watched_ip; /* the same, while the vCPU is active */
	/* CPUID that QEMU is answering and that is amended behind it. */
	uint32_t cpuid_leaf, cpuid_subleaf;
};

/* What all vCPUs share; set up once, before there are any. */
struct machine {
	struct vcpu *vcpus;
	unsigned int nr_vcpus;
	struct oracle *oracle; /* NULL without a log */
	/* Per vCPU: must blocks be reported? And the site of the branch that is about to run, or ran; 0:
	 * none. */
	qemu_plugin_u64 active, branch;
};

extern struct machine machine;

/** Sets a vCPU up, from its init callback. */
int vcpu__init(struct vcpu *vcpu, unsigned int index);

/**
 * Makes the vCPU whose callback runs active or idle, after its unit, its task or the log was switched. Only
 * active ones report blocks and branches.
 */
void vcpu__update(struct vcpu *vcpu);

/** The same, and all others become active; those with no need go idle at their next block. */
void vcpu__update_all(struct vcpu *vcpu);

/** flag if an instruction at ip, in context, is traced, by the registers of the vCPU's unit; else 0. */
uint8_t vcpu__traced(const struct vcpu *vcpu, uint64_t ip, const struct flow_context *context, uint8_t flag);

/* Callbacks of plugin.c; userdata is a site (site.h) where one is needed. */
void vcpu__on_block(unsigned int index, void *userdata);
void vcpu__on_block_ip(unsigned int index, void *userdata);
void vcpu__on_switch(unsigned int index, void *userdata);      /* at the begin of __switch_to */
void vcpu__on_numbered_branch(unsigned int index, void *site); /* one with a system call's number */
void vcpu__on_cr3(unsigned int index, void *userdata);
void vcpu__on_lidt(unsigned int index, qemu_plugin_meminfo_t info, uint64_t address, void *userdata);
void vcpu__on_discontinuity(unsigned int index, enum qemu_plugin_discon_type type, uint64_t from, uint64_t to,
			    void *userdata);

/* emulate.c: instructions that the plugin runs instead of QEMU; may set the PC. */
void emulate__cpuid(unsigned int index, void *site);
void emulate__cpuid_amend(unsigned int index, void *userdata);
void emulate__rdtsc(unsigned int index, void *site);
void emulate__rdpmc(unsigned int index, void *site);
void emulate__rdmsr(unsigned int index, void *site);
void emulate__wrmsr(unsigned int index, void *site);

#endif
