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

#include "flow.h"
#include "guest.h"
#include "oracle.h"
#include "vcpu_arch.h"

struct vcpu {
	unsigned int index;
	bool ready; /* vcpu__init() is done */
	struct guest guest;
	struct flow flow;
	struct vcpu_arch arch; /* the unit, and what else only this architecture has */
	struct oracle_cpu log;
	uint64_t block_ip;   /* where the running block began; for blocks with emulated instructions */
	uint64_t watched_ip; /* the same, while the vCPU is active */
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

/**
 * Tells the flow of the branch at the end of the last block, if it was come to; nr is for its transfer.
 */
void vcpu__take_branch(struct vcpu *vcpu, uint32_t nr);

/** A mark (oracle_log.h) at ip. */
void vcpu__mark(struct vcpu *vcpu, uint64_t ip, uint32_t mark, uint64_t arg1, uint64_t arg2);

/* Callbacks of plugin.c. */
void vcpu__on_block(unsigned int index, void *userdata);
void vcpu__on_block_ip(unsigned int index, void *userdata);
void vcpu__on_switch(unsigned int index, void *userdata); /* at the begin of __switch_to */

/*
 * Of the architecture: pt/vcpu_x86.c, ete/vcpu_arm.c.
 */

/* The guests that the plugin is for, as QEMU calls the target. */
extern const char vcpu__target[];

/* What keeps the unit and the log told; opaque is the vcpu. */
extern const struct flow_ops vcpu__flow_ops;

/** Takes an option of the plugin, before there are vCPUs; false if it is none of the architecture's. */
bool vcpu__set_option(const char *argument);

/** Makes the unit. */
int vcpu__init_unit(struct vcpu *vcpu);

/** Must the unit be told what the CPU does? */
bool vcpu__triggered(const struct vcpu *vcpu);

/** flag if an instruction at ip, in context, is traced, by the registers of the vCPU's unit; else 0. */
uint8_t vcpu__traced(const struct vcpu *vcpu, uint64_t ip, const struct flow_context *context, uint8_t flag);

/** Instruments what is particular to the architecture; returns whether callbacks need the block's IP. */
bool vcpu__translate(struct qemu_plugin_tb *tb);

/* Discontinuities that vcpu__on_discontinuity() is to be told; enum qemu_plugin_discon_type or-ed. */
extern const enum qemu_plugin_discon_type vcpu__discontinuities;
void vcpu__on_discontinuity(unsigned int index, enum qemu_plugin_discon_type type, uint64_t from, uint64_t to,
			    void *userdata);

#endif
