/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns what a translator's callbacks say (a block begins; a branch is about to run;
 * an interrupt was delivered) into branches that really retired.
 *
 * One struct flow per vCPU; not shared between threads. Knows nothing of QEMU and of
 * traces.
 */
#ifndef FLOW_H
#define FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "insn.h"

/* The state that decides whether and how an instruction is traced. */
struct flow_context {
	uint64_t space; /* which address space: CR3, or CONTEXTIDR_EL1 */
	uint8_t level;	/* of privilege: CPL, or the exception level */
	enum insn_mode mode;
};

enum flow_kind {
	FLOW_BRANCH, /* insn says which */
	FLOW_EVENT,  /* an interrupt or a fault; INT n too, then insn is it (x86) */
};

struct flow_transfer {
	enum flow_kind kind;
	struct insn insn;
	uint64_t from; /* of an event: what did not run, or faulted */
	uint64_t next; /* instruction behind from; only for branches */
	uint64_t to;
	bool taken;  /* false only for conditional branches */
	uint32_t nr; /* what flow__branch() was told */
	struct flow_context before, after;
};

struct flow_ops {
	/* The context as the CPU's registers have it now. */
	struct flow_context (*context)(void *opaque);
	/* The instruction at ip is the next to run, in context. */
	void (*at)(void *opaque, uint64_t ip, const struct flow_context *context);
	/* A branch retired, or an event was delivered. */
	void (*transfer)(void *opaque, const struct flow_transfer *transfer);
	/* An instruction before ip changed the space; context is the new one, old the one before. */
	void (*space)(void *opaque, uint64_t ip, const struct flow_context *context,
		      const struct flow_context *old);
};

struct flow {
	const struct flow_ops *ops;
	void *opaque;
	struct flow_context context;
	struct insn insn; /* the pending branch: about to run, or it ran */
	uint64_t from;
	uint32_t nr;
	bool synced; /* context is right, and no branch was missed */
	bool pending;
	bool space_written;
};

void flow__init(struct flow *flow, const struct flow_ops *ops, void *opaque);

/** Callbacks were off for a while: what is known is not true any more. */
void flow__lose(struct flow *flow);

/** A block begins at ip. */
void flow__block(struct flow *flow, uint64_t ip);

/** The branch insn at ip is about to run; nr is for the transfer. */
void flow__branch(struct flow *flow, const struct insn *insn, uint64_t ip, uint32_t nr);

/** An instruction that sets the space is about to run. */
void flow__space_write(struct flow *flow);

/**
 * The CPU was sent from `from` to `to` by an interrupt or a fault. before is the
 * context at `from` as the CPU saved it (the space excepted), or NULL if unknown.
 */
void flow__event(struct flow *flow, uint64_t from, uint64_t to, const struct flow_context *before);

#endif
