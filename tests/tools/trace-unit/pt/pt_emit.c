// SPDX-License-Identifier: GPL-2.0-only
#include "pt_unit_internal.h"

#include <string.h>

/* After so many MTC periods without a packet the time is told in full. */
#define MTC_GAP 64u

static void handle_output(struct pt_unit *unit, unsigned int events)
{
	if (events & PT_OUTPUT_ERROR)
		unit->status |= RTIT_STATUS_ERROR;
	if (events & PT_OUTPUT_STOPPED) {
		unit->status |= RTIT_STATUS_STOPPED;
		unit->since_psb = 0; /* what follows the loss is to begin with a PSB */
	}
	if (!pt_unit__triggered(unit))
		unit->packet_en = false;
	if (events & PT_OUTPUT_PMI)
		unit->ops->pmi(unit->opaque);
}

void pt_emit__flush(struct pt_unit *unit)
{
	size_t size = unit->buffered;

	unit->buffered = 0;
	if (!size || (unit->status & (RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED)))
		return;
	handle_output(unit, pt_output__write(&unit->output, unit->ctl & RTIT_CTL_TOPA, unit->buffer, size,
					     &unit->ops->memory, unit->opaque));
}

static void put(struct pt_unit *unit, const uint8_t *packet, size_t size)
{
	if (unit->buffered + size > sizeof(unit->buffer))
		pt_emit__flush(unit);
	memcpy(unit->buffer + unit->buffered, packet, size);
	unit->buffered += size;
	unit->since_psb += size;
	unit->since_overflow += size;
}

/* The oldest count bits leave as one packet. */
static void put_tnt(struct pt_unit *unit, unsigned int count)
{
	uint8_t packet[PT_PACKET_MAX];

	unit->tnt_count -= count;
	put(unit, packet, pt_packet__tnt(packet, unit->tnt_bits >> unit->tnt_count, count));
}

void pt_emit__flush_tnt(struct pt_unit *unit)
{
	/* Seven short packets hold fewer bits than a long one and are shorter. */
	if (unit->tnt_count > 7 * PT_TNT_SHORT_MAX)
		put_tnt(unit, unit->tnt_count);
	while (unit->tnt_count)
		put_tnt(unit, unit->tnt_count < PT_TNT_SHORT_MAX ? unit->tnt_count : PT_TNT_SHORT_MAX);
}

void pt_emit__tnt(struct pt_unit *unit, bool taken)
{
	unit->tnt_bits = unit->tnt_bits << 1 | taken;
	if (++unit->tnt_count == PT_TNT_LONG_MAX)
		pt_emit__flush_tnt(unit);
}

void pt_emit__ip(struct pt_unit *unit, enum pt_ip_packet type, uint64_t ip)
{
	uint8_t packet[PT_PACKET_MAX];

	pt_emit__flush_tnt(unit);
	if (!unit->last_ip_known)
		unit->last_ip = ~ip; /* shares no bits: sent in full */
	unit->last_ip_known = true;
	put(unit, packet, pt_packet__ip(packet, type, ip, &unit->last_ip));
}

void pt_emit__no_ip(struct pt_unit *unit, enum pt_ip_packet type)
{
	uint8_t packet[PT_PACKET_MAX];

	pt_emit__flush_tnt(unit);
	put(unit, packet, pt_packet__no_ip(packet, type));
}

void pt_emit__mode(struct pt_unit *unit, enum insn_mode mode)
{
	static const enum pt_code_width exec[] = {
		[X86_MODE_16] = PT_WIDTH_16,
		[X86_MODE_32] = PT_WIDTH_32,
		[X86_MODE_64] = PT_WIDTH_64,
	};
	uint8_t packet[PT_PACKET_MAX];

	pt_emit__flush_tnt(unit);
	put(unit, packet, pt_packet__mode_exec(packet, exec[mode]));
}

void pt_emit__pip(struct pt_unit *unit, uint64_t cr3)
{
	uint8_t packet[PT_PACKET_MAX];

	pt_emit__flush_tnt(unit);
	put(unit, packet, pt_packet__pip(packet, cr3));
}

void pt_emit__trace_stop(struct pt_unit *unit)
{
	uint8_t packet[PT_PACKET_MAX];

	pt_emit__flush_tnt(unit);
	put(unit, packet, pt_packet__trace_stop(packet));
}

void pt_emit__overflow(struct pt_unit *unit)
{
	uint8_t packet[PT_PACKET_MAX];

	put(unit, packet, pt_packet__overflow(packet));
	unit->last_ip_known = false;
}

static unsigned int mtc_shift(const struct pt_unit *unit)
{
	return unit->ctl >> RTIT_CTL_MTCFREQ_SHIFT & 15;
}

void pt_emit__time(struct pt_unit *unit)
{
	uint64_t tsc = unit->ops->tsc(unit->opaque);
	uint64_t ctc = tsc / PT_TSC_PER_CTC;
	uint8_t packet[PT_PACKET_MAX];

	if (!(unit->ctl & RTIT_CTL_TSCEN))
		return;
	pt_emit__flush_tnt(unit);
	put(unit, packet, pt_packet__tsc(packet, tsc));
	if (!(unit->ctl & RTIT_CTL_MTCEN))
		return;
	put(unit, packet, pt_packet__tma(packet, ctc, tsc % PT_TSC_PER_CTC));
	unit->last_mtc = ctc >> mtc_shift(unit);
}

void pt_emit__tick(struct pt_unit *unit)
{
	uint8_t packet[PT_PACKET_MAX];
	uint64_t ctc, mtc;

	if (!(unit->ctl & RTIT_CTL_MTCEN))
		return;
	ctc = unit->ops->tsc(unit->opaque) / PT_TSC_PER_CTC;
	mtc = ctc >> mtc_shift(unit);
	if (mtc == unit->last_mtc)
		return;
	if (mtc - unit->last_mtc > MTC_GAP && (unit->ctl & RTIT_CTL_TSCEN)) {
		pt_emit__time(unit);
		return;
	}
	pt_emit__flush_tnt(unit);
	put(unit, packet, pt_packet__mtc(packet, ctc, mtc_shift(unit)));
	unit->last_mtc = mtc;
}

bool pt_emit__psb_due(const struct pt_unit *unit)
{
	unsigned int shift = unit->ctl >> RTIT_CTL_PSBFREQ_SHIFT & 15;

	return unit->since_psb >= UINT64_C(2048) << shift;
}

void pt_emit__psb(struct pt_unit *unit, uint64_t ip)
{
	uint8_t packet[PT_PACKET_MAX];

	pt_emit__flush_tnt(unit);
	unit->since_psb = 0;
	unit->returns_count = 0;
	put(unit, packet, pt_packet__psb(packet));
	unit->last_ip = 0;
	unit->last_ip_known = true;
	pt_emit__time(unit);
	put(unit, packet, pt_packet__cbr(packet, PT_CORE_BUS_RATIO));
	if (unit->ctl & RTIT_CTL_OS)
		pt_emit__pip(unit, unit->context.space);
	if (unit->packet_en) {
		pt_emit__mode(unit, unit->context.mode);
		pt_emit__ip(unit, PT_FUP, ip);
	}
	put(unit, packet, pt_packet__psbend(packet));
}
