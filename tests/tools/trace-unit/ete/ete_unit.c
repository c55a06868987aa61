// SPDX-License-Identifier: GPL-2.0-only
#include "ete_unit_internal.h"

#include <errno.h>
#include <stdlib.h>

#define SYSREG_TRFCR_EL1 A64_SYSREG(3, 0, 1, 2, 1)
/* S2_1_<CRn>_<CRm>_<op2>; the number is CRn, op2, CRm. */
#define SYSREG_TRC A64_SYSREG(2, 1, 0, 0, 0)
#define SYSREG_TRC_MASK A64_SYSREG(3, 7, 8, 0, 0)
/* S3_0_C9_C11_<op2> */
#define SYSREG_TRBE A64_SYSREG(3, 0, 9, 11, 0)
#define SYSREG_TRBE_MASK A64_SYSREG(3, 7, 15, 15, 0)

static const struct {
	enum ete_register number;
	uint32_t value;
} constants[] = {
	{TRCIDR0, ETE_IDR0}, {TRCIDR1, ETE_IDR1},	{TRCIDR2, ETE_IDR2},
	{TRCIDR3, ETE_IDR3}, {TRCIDR4, ETE_IDR4},	{TRCIDR5, ETE_IDR5},
	{TRCIDR8, 0},	     {TRCOSLSR, ETE_OSLSR},	{TRCAUTHSTATUS, 0},
	{TRCSTATR, 0},	     {TRCDEVARCH, ETE_DEVARCH},
};

static const size_t nr_constants = sizeof(constants) / sizeof(constants[0]);

struct ete_unit *ete_unit__new(const struct ete_unit_ops *ops, void *opaque)
{
	struct ete_unit *unit = calloc(1, sizeof(*unit));

	if (!unit)
		return NULL;
	unit->ops = ops;
	unit->opaque = opaque;
	for (size_t i = 0; i < nr_constants; i++)
		unit->registers[constants[i].number] = constants[i].value;
	trbe__init(&unit->trbe);
	return unit;
}

void ete_unit__free(struct ete_unit *unit)
{
	if (unit)
		trbe__free(&unit->trbe);
	free(unit);
}

/* The number of a trace register, or ETE_NR_REGISTERS. */
static unsigned int trace_register(uint16_t sysreg)
{
	unsigned int crn = sysreg >> 7 & 7, crm = sysreg >> 3 & 15, op2 = sysreg & 7;

	return (sysreg & SYSREG_TRC_MASK) == SYSREG_TRC ? crn << 7 | op2 << 4 | crm : ETE_NR_REGISTERS;
}

/* The number of a register of the trace buffer, or TRBE_NR_REGISTERS. */
static unsigned int buffer_register(uint16_t sysreg)
{
	return (sysreg & SYSREG_TRBE_MASK) == SYSREG_TRBE ? sysreg & 7u : TRBE_NR_REGISTERS;
}

static uint64_t read_trace_register(const struct ete_unit *unit, unsigned int number)
{
	if (number == TRCSTATR)
		return unit->registers[TRCPRGCTLR] & TRCPRGCTLR_EN ? 0 : TRCSTATR_IDLE | TRCSTATR_PMSTABLE;
	if (number == TRCCLAIMSET)
		return ETE_CLAIM_TAGS;
	return unit->registers[number];
}

int ete_unit__read(struct ete_unit *unit, uint16_t sysreg, uint64_t *value)
{
	unsigned int number = trace_register(sysreg), buffer = buffer_register(sysreg);

	if (sysreg == SYSREG_TRFCR_EL1)
		*value = unit->trfcr;
	else if (number < ETE_NR_REGISTERS)
		*value = read_trace_register(unit, number);
	else if (buffer < TRBE_NR_REGISTERS)
		*value = trbe__read(&unit->trbe, buffer);
	else
		return -ENOENT;
	return 0;
}

static bool is_constant(unsigned int number)
{
	for (size_t i = 0; i < nr_constants; i++)
		if (constants[i].number == number)
			return true;
	return false;
}

static void write_trace_register(struct ete_unit *unit, unsigned int number, uint64_t value)
{
	if (number == TRCCLAIMSET)
		unit->registers[TRCCLAIMCLR] |= value & ETE_CLAIM_TAGS;
	else if (number == TRCCLAIMCLR)
		unit->registers[TRCCLAIMCLR] &= ~value;
	else if (!is_constant(number))
		unit->registers[number] = value;
}

static bool takes_trace(const struct ete_unit *unit)
{
	bool accepts = trbe__enabled(&unit->trbe) ? trbe__accepts(&unit->trbe) : unit->sink;

	return (unit->registers[TRCPRGCTLR] & TRCPRGCTLR_EN) && accepts;
}

int ete_unit__write(struct ete_unit *unit, uint16_t sysreg, uint64_t value)
{
	unsigned int number = trace_register(sysreg), buffer = buffer_register(sysreg);
	bool took_trace = takes_trace(unit);

	if (sysreg != SYSREG_TRFCR_EL1 && number == ETE_NR_REGISTERS && buffer == TRBE_NR_REGISTERS)
		return -ENOENT;
	ete_emit__end_atoms(unit);
	ete_unit__drain(unit);
	if (sysreg == SYSREG_TRFCR_EL1)
		unit->trfcr = value;
	else if (number < ETE_NR_REGISTERS)
		write_trace_register(unit, number, value);
	else
		trbe__write(&unit->trbe, buffer, value);
	unit->sink = unit->ops->sink_accepts && unit->ops->sink_accepts(unit->opaque);
	if (!took_trace)
		unit->synced = false;
	if (!ete_unit__triggered(unit))
		unit->active = false;
	else
		ete_emit__make_room(unit);
	ete_emit__update_irq(unit);
	return 0;
}

void ete_unit__drain(struct ete_unit *unit)
{
	ete_emit__flush_sink(unit);
	trbe__drain(&unit->trbe, unit->ops->write, unit->opaque);
	ete_emit__update_irq(unit);
}

void ete_unit__registers(const struct ete_unit *unit, struct ete_registers *registers)
{
	*registers = (struct ete_registers){
		.trcprgctlr = unit->registers[TRCPRGCTLR],
		.trcvictlr = unit->registers[TRCVICTLR],
		.trcviiectlr = unit->registers[TRCVIIECTLR],
		.trfcr = unit->trfcr,
		.trblimitr = trbe__read(&unit->trbe, TRBE_LIMITR),
		.trbsr = trbe__read(&unit->trbe, TRBE_SR),
		.sink = unit->sink,
	};
	for (unsigned int i = 0; i < ETE_NR_RANGES; i++) {
		registers->range[i][0] = unit->registers[TRCACVR0 + 4 * i];
		registers->range[i][1] = unit->registers[TRCACVR0 + 4 * i + 2];
	}
}

uint64_t ete_unit__written(const struct ete_unit *unit)
{
	return unit->trbe.written + unit->sink_written;
}

bool ete_unit__resynced(const struct ete_unit *unit)
{
	return unit->resynced;
}

bool ete_unit__triggered(const struct ete_unit *unit)
{
	return takes_trace(unit) && (unit->trfcr & (TRFCR_E0TRE | TRFCR_E1TRE));
}
