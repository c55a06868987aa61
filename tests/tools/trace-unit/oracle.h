/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the oracle log (oracle_log.h): what really ran, taken from execution.
 *
 * Whether an instruction counts as traced is worked out from the unit's registers
 * (vcpu__traced()), not asked of the code that makes the packets.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "flow.h"
#include "guest.h"
#include "oracle_log.h"

struct oracle;

/* What the log keeps of one vCPU; owned by its thread. */
struct oracle_cpu {
	uint16_t cpu;
	unsigned int epoch; /* of the logging that task and pid are known for */
	uint64_t task;
	uint32_t pid;
	bool quiet; /* only what is traced is logged of the task */
};

/**
 * Creates the log; with all, it starts at once. Returns 0 or a negative errno.
 */
int oracle__open(const char *path, unsigned int nr_cpus, bool all, struct oracle **oracle);

/** Writes out what is buffered and closes. NULL is fine. */
void oracle__close(struct oracle *oracle);

/* All of these do nothing, or say false, when oracle is NULL. */
bool oracle__logging(const struct oracle *oracle);

/** Does the log hold what the vCPU's task does while the unit does not trace? */
bool oracle__wants_all(const struct oracle *oracle, const struct oracle_cpu *cpu);

/** ORACLE_MARK_QUIET and ORACLE_MARK_LOUD by the vCPU's task. */
void oracle__set_quiet(struct oracle *oracle, struct oracle_cpu *cpu, bool quiet);

/** Starts all vCPUs; a log that runs goes on, and only `what` may change. */
void oracle__start(struct oracle *oracle, enum oracle_start what, uint32_t first_loud);
void oracle__stop(struct oracle *oracle); /* what is buffered goes to the file */

/** Returns whether the value is a new one. */
bool oracle__set_symbol(struct oracle *oracle, uint64_t which, uint64_t value);

/** 0 if it is not known. */
uint64_t oracle__symbol(const struct oracle *oracle, enum oracle_symbol which);

/** Learns the current task, if logging just began; from a vCPU's callback. */
void oracle__sync(struct oracle *oracle, struct oracle_cpu *cpu, const struct guest *guest);

/** Execution is at the begin of __switch_to: the task changes. */
void oracle__switch(struct oracle *oracle, struct oracle_cpu *cpu, const struct guest *guest, uint64_t ip);

/** A branch or event, of this kind and with this number; flags are ORACLE_TRACED_*. */
void oracle__transfer(struct oracle *oracle, const struct oracle_cpu *cpu,
		      const struct flow_transfer *transfer, enum oracle_kind kind, uint32_t nr,
		      uint8_t flags);

/** A record that is no transfer: a mark, or the unit switched. */
void oracle__note(struct oracle *oracle, const struct oracle_cpu *cpu, enum oracle_kind kind, uint64_t from,
		  uint64_t to, uint32_t nr, const struct flow_context *context, uint8_t flags);

#endif
