/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the parts of the PT unit: pt_unit.c (registers), pt_trace.c (which
 * packets follow from execution) and pt_emit.c (packets into the output).
 */
#ifndef PT_UNIT_INTERNAL_H
#define PT_UNIT_INTERNAL_H

#include "pt_msr.h"
#include "pt_packet.h"
#include "pt_unit.h"

#define PT_RETURN_STACK 64u /* SDM, "RET Compression" */
#define PT_BUFFER 256u	    /* packet bytes held back before they go to memory */

struct pt_unit {
	const struct pt_unit_ops *ops;
	void *opaque;

	/* Registers. status holds only the bits that stay: Error and Stopped. */
	uint64_t ctl, status, cr3_match;
	uint64_t range[PT_NR_RANGES][2];
	struct pt_output output;

	bool packet_en;		     /* PacketEn, as of the last instruction seen */
	struct flow_context context; /* of that instruction */

	/* Conditional branches that no packet has told yet. */
	uint64_t tnt_bits;
	unsigned int tnt_count;

	uint64_t last_ip;
	bool last_ip_known; /* false: the next IP packet must not be compressed */

	uint64_t returns[PT_RETURN_STACK]; /* a ring */
	unsigned int returns_top, returns_count;

	bool overflow, overflow_due; /* packets are lost; or are to be from the next instruction on */
	unsigned int overflow_left;  /* of at least so many branches more */
	struct flow_context overflow_context; /* of the first instruction */
	uint64_t since_overflow;	      /* packet bytes */

	uint64_t since_psb; /* packet bytes; PacketByteCnt */
	uint64_t last_mtc;  /* crystal clock in MTC periods */

	uint8_t buffer[PT_BUFFER];
	size_t buffered;
};

/* pt_emit.c: all of them flush pending TNT bits first, so that order is kept. */
void pt_emit__tnt(struct pt_unit *unit, bool taken);
void pt_emit__flush_tnt(struct pt_unit *unit);
void pt_emit__ip(struct pt_unit *unit, enum pt_ip_packet type, uint64_t ip);
void pt_emit__no_ip(struct pt_unit *unit, enum pt_ip_packet type);
void pt_emit__mode(struct pt_unit *unit, enum insn_mode mode);
void pt_emit__pip(struct pt_unit *unit, uint64_t cr3);
void pt_emit__trace_stop(struct pt_unit *unit);
void pt_emit__overflow(struct pt_unit *unit);
/* TSC, and TMA if MTC is on; nothing if TSC is off. */
void pt_emit__time(struct pt_unit *unit);
/* MTC if one is due; the full time after a long gap. */
void pt_emit__tick(struct pt_unit *unit);
/* PSB+; ip is the next instruction, used if packets are on. */
void pt_emit__psb(struct pt_unit *unit, uint64_t ip);
bool pt_emit__psb_due(const struct pt_unit *unit);
/* Everything to memory. */
void pt_emit__flush(struct pt_unit *unit);

/* pt_trace.c */
void pt_trace__reset(struct pt_unit *unit);
/* TraceEn was cleared by the WRMSR at ip. */
void pt_trace__stop(struct pt_unit *unit, uint64_t ip);
bool pt_trace__context_en(const struct pt_unit *unit, const struct flow_context *context);
bool pt_trace__filter_en(const struct pt_unit *unit, uint64_t ip);

#endif
