// SPDX-License-Identifier: GPL-2.0-only
#include "ete_unit_internal.h"

/* What is held back of the trace goes to memory in pieces of at least this. */
#define DRAIN 4096u

static bool in_ranges(const struct ete_unit *unit, uint64_t ip, unsigned int ranges)
{
	const uint64_t *comparators = unit->registers + TRCACVR0;

	for (unsigned int i = 0; i < ETE_NR_RANGES; i++)
		/* A pair of comparators, of two words each. */
		if ((ranges >> i & 1) && comparators[4 * i] <= ip && ip <= comparators[4 * i + 2])
			return true;
	return false;
}

static bool passes_filter(const struct ete_unit *unit, uint64_t ip)
{
	const unsigned int all = (1u << ETE_NR_RANGES) - 1;
	unsigned int included = unit->registers[TRCVIIECTLR] & all;
	unsigned int excluded = unit->registers[TRCVIIECTLR] >> TRCVIIECTLR_EXCLUDE_SHIFT & all;

	return (!included || in_ranges(unit, ip, included)) && !in_ranges(unit, ip, excluded);
}

/* ViewInst, and whether tracing is allowed at all. */
static bool is_traced(const struct ete_unit *unit, uint64_t ip, const struct flow_context *context)
{
	uint64_t allowed = context->level ? TRFCR_E1TRE : TRFCR_E0TRE;

	if (!ete_unit__triggered(unit) || !(unit->trfcr & allowed) || context->mode != A64_MODE_64)
		return false;
	if (unit->registers[TRCVICTLR] >> (TRCVICTLR_EXLEVEL_NS_SHIFT + context->level) & 1)
		return false;
	return passes_filter(unit, ip);
}

static void start(struct ete_unit *unit, uint64_t ip, const struct flow_context *context)
{
	if (!unit->synced)
		ete_emit__sync(unit);
	ete_emit__trace_on(unit);
	ete_emit__address(unit, ip, context);
	ete_emit__time(unit);
	unit->active = true;
}

static void stop(struct ete_unit *unit)
{
	ete_emit__end_atoms(unit);
	unit->active = false;
}

static void finish(struct ete_unit *unit, const struct flow_context *context)
{
	ete_emit__make_room(unit);
	if (context->level && unit->trbe.size >= DRAIN)
		ete_unit__drain(unit);
}

void ete_unit__at(struct ete_unit *unit, uint64_t ip, const struct flow_context *context)
{
	bool traced;

	if (!ete_unit__triggered(unit))
		return;
	traced = is_traced(unit, ip, context);
	if (traced && !unit->active)
		start(unit, ip, context);
	else if (!traced && unit->active)
		stop(unit);
	finish(unit, context);
}

static void trace_branch(struct ete_unit *unit, const struct flow_transfer *t)
{
	ete_emit__atom(unit, t->taken);
	if (insn__is_indirect(&t->insn))
		ete_emit__address(unit, t->to, &t->after);
	else
		ete_emit__context(unit, &t->after);
}

static void trace(struct ete_unit *unit, const struct flow_transfer *t, enum ete_exception exception)
{
	if (t->kind == FLOW_EVENT) {
		ete_emit__exception(unit, exception, t->from, &t->before);
		ete_emit__address(unit, t->to, &t->after);
	} else {
		trace_branch(unit, t);
	}
	if (ete_emit__sync_due(unit)) {
		unit->resynced = true;
		ete_emit__sync(unit);
		ete_emit__address(unit, t->to, &t->after);
		ete_emit__time(unit);
	} else if (t->before.level != t->after.level) {
		/* What the kernel has just recorded of mappings and tasks is older than the code that
		 * follows. */
		ete_emit__time(unit);
	} else {
		ete_emit__tick(unit);
	}
}

/* The last of a stretch: where it leads to is not told. */
static void trace_last(struct ete_unit *unit, const struct flow_transfer *t, enum ete_exception exception)
{
	if (t->kind == FLOW_EVENT)
		ete_emit__exception(unit, exception, t->from, &t->before);
	else
		ete_emit__atom(unit, t->taken);
	stop(unit);
}

void ete_unit__transfer(struct ete_unit *unit, const struct flow_transfer *t, enum ete_exception exception)
{
	bool traced;

	unit->resynced = false;
	if (!ete_unit__triggered(unit))
		return;
	traced = is_traced(unit, t->to, &t->after);
	if (unit->active && traced)
		trace(unit, t, exception);
	else if (unit->active)
		trace_last(unit, t, exception);
	else if (traced)
		start(unit, t->to, &t->after);
	finish(unit, &t->after);
}

void ete_unit__space(struct ete_unit *unit, uint64_t ip, const struct flow_context *context)
{
	/* The context is told behind the next branch: that is the ISB that makes the change count. */
	ete_unit__at(unit, ip, context);
}
