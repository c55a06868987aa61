// SPDX-License-Identifier: GPL-2.0-only
#include "pt_unit_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bits of RTIT_CTL that the CPUID leaf of this unit allows to be set. */
#define CTL_WRITABLE                                                                           \
	(RTIT_CTL_TRACEEN | RTIT_CTL_OS | RTIT_CTL_USER | RTIT_CTL_CR3FILTER | RTIT_CTL_TOPA | \
	 RTIT_CTL_MTCEN | RTIT_CTL_TSCEN | RTIT_CTL_DISRETC | RTIT_CTL_BRANCHEN |              \
	 15ull << RTIT_CTL_MTCFREQ_SHIFT | 15ull << RTIT_CTL_PSBFREQ_SHIFT |                   \
	 0xffffull << RTIT_CTL_ADDR0_SHIFT)

struct pt_unit *pt_unit__new(const struct pt_unit_ops *ops, void *opaque)
{
	struct pt_unit *unit = calloc(1, sizeof(*unit));

	if (unit) {
		unit->ops = ops;
		unit->opaque = opaque;
	}
	return unit;
}

void pt_unit__free(struct pt_unit *unit)
{
	free(unit);
}

bool pt_unit__triggered(const struct pt_unit *unit)
{
	return (unit->ctl & RTIT_CTL_TRACEEN) && !(unit->status & (RTIT_STATUS_STOPPED | RTIT_STATUS_ERROR));
}

void pt_unit__registers(const struct pt_unit *unit, struct pt_registers *registers)
{
	registers->ctl = unit->ctl;
	registers->status = unit->status;
	registers->cr3_match = unit->cr3_match;
	registers->overflow = unit->overflow;
	memcpy(registers->range, unit->range, sizeof(registers->range));
}

uint64_t pt_unit__written(const struct pt_unit *unit)
{
	return unit->output.written;
}

static uint64_t *range_register(struct pt_unit *unit, uint32_t msr)
{
	uint32_t index = msr - MSR_RTIT_ADDR0_A;

	return index < 2 * PT_NR_RANGES ? &unit->range[index / 2][index % 2] : NULL;
}

static uint64_t read_status(const struct pt_unit *unit)
{
	uint64_t value = unit->status;

	if (pt_unit__triggered(unit)) {
		value |= RTIT_STATUS_TRIGGEREN;
		if (pt_trace__context_en(unit, &unit->context))
			value |= RTIT_STATUS_CONTEXTEN;
		if (unit->packet_en)
			value |= RTIT_STATUS_FILTEREN;
	}
	return value | (unit->since_psb & RTIT_STATUS_BYTECNT_MASK) << RTIT_STATUS_BYTECNT_SHIFT;
}

int pt_unit__read_msr(struct pt_unit *unit, uint32_t msr, uint64_t *value)
{
	const uint64_t *range = range_register(unit, msr);

	switch (msr) {
	case MSR_RTIT_OUTPUT_BASE:
		pt_emit__flush(unit);
		*value = unit->output.base;
		return 0;
	case MSR_RTIT_OUTPUT_MASK_PTRS:
		pt_emit__flush(unit);
		*value = unit->output.mask_ptrs;
		return 0;
	case MSR_RTIT_CTL:
		*value = unit->ctl;
		return 0;
	case MSR_RTIT_STATUS:
		pt_emit__flush(unit);
		*value = read_status(unit);
		return 0;
	case MSR_RTIT_CR3_MATCH:
		*value = unit->cr3_match;
		return 0;
	default:
		if (!range)
			return -ENOENT;
		*value = *range;
		return 0;
	}
}

static void write_ctl(struct pt_unit *unit, uint64_t value, uint64_t ip, const struct flow_context *context)
{
	bool was = unit->ctl & RTIT_CTL_TRACEEN, is = value & RTIT_CTL_TRACEEN;

	if (was && is) /* a CPU raises #GP for any change here */
		return;
	if (was)
		pt_trace__stop(unit, ip);
	unit->ctl = value & CTL_WRITABLE;
	unit->context = *context;
	if (!is)
		return;
	pt_trace__reset(unit);
	if (unit->ctl & RTIT_CTL_TOPA)
		unit->output.mask_ptrs |= pt_output__forced_mask(true);
	/* The first PSB is asked for by a byte count of 0 (SDM, RTIT_STATUS). */
	if (!unit->since_psb && pt_unit__triggered(unit))
		pt_emit__psb(unit, ip);
}

static void write_status(struct pt_unit *unit, uint64_t value)
{
	unit->status = value & (RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED);
	unit->since_psb = value >> RTIT_STATUS_BYTECNT_SHIFT & RTIT_STATUS_BYTECNT_MASK;
}

int pt_unit__write_msr(struct pt_unit *unit, uint32_t msr, uint64_t value, uint64_t ip,
		       const struct flow_context *context)
{
	uint64_t *range = range_register(unit, msr), unused;

	if (pt_unit__read_msr(unit, msr, &unused) < 0)
		return -ENOENT;
	if (msr == MSR_RTIT_CTL)
		write_ctl(unit, value, ip, context);
	else if (unit->ctl & RTIT_CTL_TRACEEN)
		return 0; /* a CPU raises #GP */
	else if (msr == MSR_RTIT_STATUS)
		write_status(unit, value);
	else if (msr == MSR_RTIT_OUTPUT_BASE)
		unit->output.base = value & 0x000fffffffffff80ull;
	else if (msr == MSR_RTIT_OUTPUT_MASK_PTRS)
		unit->output.mask_ptrs = value | 0x7f;
	else if (msr == MSR_RTIT_CR3_MATCH)
		unit->cr3_match = value & ~0x1full;
	else if (range)
		*range = value;
	return 0;
}
