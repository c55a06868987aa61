/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Embedded Trace Extension of one CPU with its trace buffer: the registers, and
 * which packets come of what the CPU does. Arm ARM (DDI 0487), part D, "The Embedded
 * Trace Extension".
 *
 * Not here: branch broadcast, cycle counts, the return stack, start and stop
 * addresses, events, counters and the sequencer (registers that hold what is written;
 * time stamps come at most every microsecond, whatever asks for them), 32-bit code
 * (none of it is traced). Overflow, because packets wait for nothing: a buffer that
 * stops when it is full is filled up with Ignore packets behind the last branch that
 * it has room for, and what follows is not traced.
 *
 * Memory, clock and the interrupt are callbacks, so that a unit runs without a guest.
 * One thread at a time may use a unit.
 */
#ifndef ETE_UNIT_H
#define ETE_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "ete_packet.h"
#include "ete_registers.h"
#include "flow.h"
#include "trbe.h"

struct ete_unit_ops {
	/* The virtual counter. */
	uint64_t (*clock)(void *opaque);
	/* The line of the trace buffer's interrupt. */
	void (*irq)(void *opaque, bool asserted);
	/* Virtual memory of the kernel; 0 or a negative errno. */
	int (*write)(void *opaque, uint64_t address, const void *from, size_t size);
	/*
	 * Another sink than the CPU's trace buffer, for when that is not enabled. Both are NULL if there is
	 * none. It is asked whether it accepts trace when the unit's registers are written; id is the trace
	 * ID.
	 */
	bool (*sink_accepts)(void *opaque);
	void (*sink_write)(void *opaque, uint8_t id, const void *from, size_t size);
	/*
	 * For tests that cannot wait for chance: it synchronizes each 1 << sync_period bytes, whatever TRCSYNCPR
	 * says, and tells the time after so many ticks of the clock. 0: as the register says; each microsecond.
	 */
	uint64_t sync_period, time_period;
};

struct ete_unit;

/** Makes a unit as after reset: off. NULL if there is no memory. */
struct ete_unit *ete_unit__new(const struct ete_unit_ops *ops, void *opaque);
void ete_unit__free(struct ete_unit *unit); /* NULL is fine */

/**
 * Reads or writes a system register (A64_SYSREG()) of the unit; the kernel's memory
 * must be in reach. Returns 0, or -ENOENT if it is none of the unit's.
 */
int ete_unit__read(struct ete_unit *unit, uint16_t sysreg, uint64_t *value);
int ete_unit__write(struct ete_unit *unit, uint16_t sysreg, uint64_t value);

/* What software has set, and the status that it has come to. */
struct ete_registers {
	uint64_t trcprgctlr, trcvictlr, trcviiectlr, trfcr, trblimitr, trbsr;
	uint64_t range[ETE_NR_RANGES][2];
	bool sink; /* did the other sink accept trace? */
};

/** Copies the registers, without any effect on the unit. */
void ete_unit__registers(const struct ete_unit *unit, struct ete_registers *registers);

/** How many bytes of trace it has given out since it was made. */
uint64_t ete_unit__written(const struct ete_unit *unit);

/** Must the unit be told what the CPU does? */
bool ete_unit__triggered(const struct ete_unit *unit);

/** Gives out what is held back; the kernel's memory must be in reach. */
void ete_unit__drain(struct ete_unit *unit);

/* What the CPU does: see struct flow_ops. exception: of an event. */
void ete_unit__at(struct ete_unit *unit, uint64_t ip, const struct flow_context *context);
void ete_unit__transfer(struct ete_unit *unit, const struct flow_transfer *transfer,
			enum ete_exception exception);
void ete_unit__space(struct ete_unit *unit, uint64_t ip, const struct flow_context *context);

/**
 * Did it synchronize behind the last transfer? Then the packets tell where that led to, also of a direct branch,
 * of which they do not otherwise.
 */
bool ete_unit__resynced(const struct ete_unit *unit);

#endif
