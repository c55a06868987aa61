/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Intel PT unit of one CPU: its registers, and which packets come of what the
 * CPU does. Intel SDM vol. 3, chapter "Intel Processor Trace".
 *
 * Not here: CYC, PTWRITE, power, TSX and event trace packets, VMX. Packets wait for nothing, so none is lost before
 * the output is full, unless it is asked for. Memory, clock and the interrupt are callbacks, so that a unit runs
 * without a guest. One thread at a time may use a unit.
 */
#ifndef PT_UNIT_H
#define PT_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "flow.h"
#include "pt_msr.h"
#include "pt_topa.h"

struct pt_unit_ops {
	struct pt_memory_ops memory;
	/* Time stamp counter; the crystal clock ticks PT_TSC_PER_CTC times slower. */
	uint64_t (*tsc)(void *opaque);
	/* A ToPA region with INT is full: raise the performance interrupt. */
	void (*pmi)(void *opaque);
	/*
	 * For tests: the unit's own buffer overflows when so many bytes of packets were made (SDM, "Internal
	 * Buffer Overflow"). What some branches would have told is lost, an OVF packet says so. 0: never.
	 */
	uint64_t overflow_period;
};

/* The ratio that CPUID leaf 0x15 states. */
#define PT_TSC_PER_CTC 1u

/* Core to bus clock ratio: CBR packets, MSR_PLATFORM_INFO. */
#define PT_CORE_BUS_RATIO 10u

struct pt_unit;

/** Makes a unit as after reset: off. NULL if there is no memory. */
struct pt_unit *pt_unit__new(const struct pt_unit_ops *ops, void *opaque);
void pt_unit__free(struct pt_unit *unit); /* NULL is fine */

/**
 * Reads or writes a register of the unit. ip and context are those of the RDMSR or
 * WRMSR. A write that a CPU refuses (configuration while TraceEn is set) is dropped.
 *
 * Returns 0, or -ENOENT if msr is none of the unit's.
 */
int pt_unit__read_msr(struct pt_unit *unit, uint32_t msr, uint64_t *value);
int pt_unit__write_msr(struct pt_unit *unit, uint32_t msr, uint64_t value, uint64_t ip,
		       const struct flow_context *context);

/* What a WRMSR to the unit has set, and the status it has come to. */
struct pt_registers {
	uint64_t ctl, status, cr3_match;
	uint64_t range[PT_NR_RANGES][2];
	bool overflow; /* packets are being lost */
};

/** Copies the registers, without any effect on the unit. */
void pt_unit__registers(const struct pt_unit *unit, struct pt_registers *registers);

/** How many bytes of trace it has given out since it was made. */
uint64_t pt_unit__written(const struct pt_unit *unit);

/** TriggerEn: must the unit be told what the CPU does? */
bool pt_unit__triggered(const struct pt_unit *unit);

/* What the CPU does: see struct flow_ops. */
void pt_unit__at(struct pt_unit *unit, uint64_t ip, const struct flow_context *context);
void pt_unit__transfer(struct pt_unit *unit, const struct flow_transfer *transfer);
void pt_unit__cr3(struct pt_unit *unit, uint64_t ip, const struct flow_context *context);

#endif
