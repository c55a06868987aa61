// SPDX-License-Identifier: GPL-2.0-only
#include "ete_unit_internal.h"

#include <string.h>

/* More than what one event of the CPU can take: atoms, an exception, two addresses with context, a time
 * stamp, and a synchronization. */
#define RESERVE 128u

/* The time is told after so many ticks of the clock, nanoseconds here, if the unit's user does not say. */
#define TICK 1000u

void ete_emit__update_irq(struct ete_unit *unit)
{
	bool irq = trbe__irq(&unit->trbe);

	if (irq == unit->irq)
		return;
	unit->irq = irq;
	unit->ops->irq(unit->opaque, irq);
}

void ete_emit__flush_sink(struct ete_unit *unit)
{
	if (!unit->held_size)
		return;
	unit->ops->sink_write(unit->opaque, (uint8_t)unit->registers[TRCTRACEIDR], unit->held,
			      unit->held_size);
	unit->sink_written += unit->held_size;
	unit->held_size = 0;
}

static void put(struct ete_unit *unit, const uint8_t *packet, size_t size)
{
	unit->since_sync += size;
	if (trbe__enabled(&unit->trbe)) {
		trbe__put(&unit->trbe, packet, size);
		ete_emit__update_irq(unit);
		return;
	}
	if (unit->held_size + size > sizeof(unit->held))
		ete_emit__flush_sink(unit);
	memcpy(unit->held + unit->held_size, packet, size);
	unit->held_size += size;
}

/* At most so many of the pending ones. */
static void put_atoms(struct ete_unit *unit, unsigned int max)
{
	uint8_t packet[ETE_PACKET_MAX];
	unsigned int told;
	size_t size = ete_packet__atoms(packet, unit->atoms, max, &told);

	unit->atoms >>= told;
	unit->atom_count -= told;
	put(unit, packet, size);
}

void ete_emit__flush_atoms(struct ete_unit *unit)
{
	while (unit->atom_count)
		put_atoms(unit, unit->atom_count);
}

void ete_emit__end_atoms(struct ete_unit *unit)
{
	while (unit->atom_count)
		put_atoms(unit, 1);
}

void ete_emit__atom(struct ete_unit *unit, bool taken)
{
	unit->atoms |= (uint32_t)taken << unit->atom_count;
	if (++unit->atom_count == ETE_ATOMS_MAX)
		ete_emit__flush_atoms(unit);
}

void ete_emit__trace_on(struct ete_unit *unit)
{
	uint8_t packet[ETE_PACKET_MAX];

	ete_emit__flush_atoms(unit);
	put(unit, packet, ete_packet__trace_on(packet));
}

static struct ete_context context_of(const struct ete_unit *unit, const struct flow_context *context)
{
	bool has_id = unit->registers[TRCCONFIGR] & TRCCONFIGR_CID;

	return (struct ete_context){
		.level = context->level,
		.has_id = has_id,
		.id = has_id ? (uint32_t)context->space : 0,
	};
}

/* Makes the context the one told last; returns whether it was another. */
static bool set_context(struct ete_unit *unit, const struct flow_context *context)
{
	struct ete_context is = context_of(unit, context), was = unit->context;

	unit->context = is;
	return is.level != was.level || is.has_id != was.has_id || is.id != was.id;
}

void ete_emit__address(struct ete_unit *unit, uint64_t address, const struct flow_context *context)
{
	uint8_t packet[ETE_PACKET_MAX];

	ete_emit__flush_atoms(unit);
	if (set_context(unit, context) || !unit->history.known)
		put(unit, packet,
		    ete_packet__address_context(packet, &unit->history, address, &unit->context));
	else
		put(unit, packet, ete_packet__address(packet, &unit->history, address));
}

void ete_emit__context(struct ete_unit *unit, const struct flow_context *context)
{
	uint8_t packet[ETE_PACKET_MAX];

	if (!set_context(unit, context))
		return;
	ete_emit__flush_atoms(unit);
	put(unit, packet, ete_packet__context(packet, &unit->context));
}

void ete_emit__exception(struct ete_unit *unit, enum ete_exception type, uint64_t return_address,
			 const struct flow_context *context)
{
	uint8_t packet[ETE_PACKET_MAX];

	ete_emit__flush_atoms(unit);
	put(unit, packet, ete_packet__exception(packet, type));
	ete_emit__address(unit, return_address, context);
}

static void put_time(struct ete_unit *unit, uint64_t now)
{
	uint8_t packet[ETE_PACKET_MAX];

	ete_emit__flush_atoms(unit);
	put(unit, packet, ete_packet__timestamp(packet, &unit->history, now));
	unit->last_time = now;
}

void ete_emit__time(struct ete_unit *unit)
{
	if (unit->registers[TRCCONFIGR] & TRCCONFIGR_TS)
		put_time(unit, unit->ops->clock(unit->opaque));
}

void ete_emit__tick(struct ete_unit *unit)
{
	uint64_t now;

	if (!(unit->registers[TRCCONFIGR] & TRCCONFIGR_TS))
		return;
	now = unit->ops->clock(unit->opaque);
	if (now - unit->last_time >= (unit->ops->time_period ? unit->ops->time_period : TICK))
		put_time(unit, now);
}

void ete_emit__sync(struct ete_unit *unit)
{
	uint8_t packet[ETE_PACKET_MAX];

	ete_emit__flush_atoms(unit);
	unit->since_sync = 0;
	unit->synced = true;
	put(unit, packet, ete_packet__async(packet));
	put(unit, packet, ete_packet__trace_info(packet, &unit->history));
}

bool ete_emit__sync_due(const struct ete_unit *unit)
{
	uint64_t period = unit->ops->sync_period;

	if (!period)
		period = unit->registers[TRCSYNCPR] & TRCSYNCPR_PERIOD;
	return period && unit->since_sync >= UINT64_C(1) << period;
}

void ete_emit__make_room(struct ete_unit *unit)
{
	uint8_t filler[RESERVE];

	if (!trbe__accepts(&unit->trbe) || !trbe__stops_when_full(&unit->trbe) ||
	    trbe__room(&unit->trbe) >= RESERVE)
		return;
	ete_emit__flush_atoms(unit);
	memset(filler, ETE_IGNORE, sizeof(filler));
	put(unit, filler, (size_t)trbe__room(&unit->trbe));
	unit->active = false;
	unit->synced = false;
}
