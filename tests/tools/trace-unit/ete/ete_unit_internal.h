/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the parts of the ETE unit: ete_unit.c (registers), ete_trace.c (which
 * packets follow from execution) and ete_emit.c (packets into the buffer).
 */
#ifndef ETE_UNIT_INTERNAL_H
#define ETE_UNIT_INTERNAL_H

#include "ete_unit.h"

#define ETE_HELD 1024u /* bytes held back from the other sink */

struct ete_unit {
	const struct ete_unit_ops *ops;
	void *opaque;

	uint64_t registers[ETE_NR_REGISTERS]; /* by number */
	uint64_t trfcr;
	struct trbe trbe;
	bool irq; /* as the interrupt's line was told */

	bool sink; /* the other sink accepted trace when it was last asked */
	uint8_t held[ETE_HELD];
	size_t held_size;
	uint64_t sink_written;

	bool active; /* ViewInst: was the last instruction traced? */
	bool synced; /* the buffer has what a decoder begins with */

	/* Branches that no packet has told yet; the oldest is the lowest bit. */
	uint32_t atoms;
	unsigned int atom_count;

	struct ete_history history;
	struct ete_context context; /* told last */

	uint64_t since_sync; /* bytes */
	bool resynced;	     /* behind what ete_unit__transfer() was told last */
	uint64_t last_time;  /* when a time stamp was told */
};

/* ete_emit.c: all of them tell pending atoms first, so that order is kept. */
void ete_emit__atom(struct ete_unit *unit, bool taken);
void ete_emit__flush_atoms(struct ete_unit *unit);

/*
 * In front of a gap, a packet for each: of the last one perf shows the first branch only, unless a byte is behind it. How many
 * were pending, and so what is shown, would depend on how long ago a time was told.
 */
void ete_emit__end_atoms(struct ete_unit *unit);
void ete_emit__trace_on(struct ete_unit *unit);
void ete_emit__address(struct ete_unit *unit, uint64_t address, const struct flow_context *context);
void ete_emit__context(struct ete_unit *unit, const struct flow_context *context);
void ete_emit__exception(struct ete_unit *unit, enum ete_exception type, uint64_t return_address,
			 const struct flow_context *context);
/* Nothing if the unit is not to tell the time. */
void ete_emit__time(struct ete_unit *unit);
/* The same, if it has not been told for a while. */
void ete_emit__tick(struct ete_unit *unit);
/* What a decoder can begin with. */
void ete_emit__sync(struct ete_unit *unit);
bool ete_emit__sync_due(const struct ete_unit *unit);
/* Fills a buffer up that will stop when full and has no room for what one more event may take. */
void ete_emit__make_room(struct ete_unit *unit);

/* Gives out what is held back from the other sink. */
void ete_emit__flush_sink(struct ete_unit *unit);
/* Tells the interrupt's line to the guest, if it has changed. */
void ete_emit__update_irq(struct ete_unit *unit);

#endif
