/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encodes single Intel PT packets into bytes.
 *
 * Intel SDM vol. 3, "Intel Processor Trace", section "Trace Packets and Data
 * Types". The only state is the last IP, which compresses the next one.
 */
#ifndef PT_PACKET_H
#define PT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enough for the longest packet, PSB. */
#define PT_PACKET_MAX 16u

/* TNT bits that one packet can hold. */
#define PT_TNT_SHORT_MAX 6u
#define PT_TNT_LONG_MAX 47u

enum pt_ip_packet {
	PT_TIP_PGD = 0x01,
	PT_TIP = 0x0d,
	PT_TIP_PGE = 0x11,
	PT_FUP = 0x1d,
};

/* MODE.Exec: CS.L and CS.D of the code that follows. */
enum pt_code_width {
	PT_WIDTH_16 = 0,
	PT_WIDTH_64 = 1,
	PT_WIDTH_32 = 2,
};

/* All return the number of bytes put at out, which has room for PT_PACKET_MAX. */
size_t pt_packet__psb(uint8_t *out);
size_t pt_packet__psbend(uint8_t *out);
size_t pt_packet__trace_stop(uint8_t *out);
size_t pt_packet__overflow(uint8_t *out);

/** The low 56 bits of the time stamp counter. */
size_t pt_packet__tsc(uint8_t *out, uint64_t tsc);

/**
 * The core crystal clock at the preceding TSC packet (low 16 bits are sent) and how
 * many TSC ticks (9 bits) the TSC was past that clock's edge.
 */
size_t pt_packet__tma(uint8_t *out, uint64_t ctc, unsigned int fast);

/** Bits 7..0 of the crystal clock, counted in periods of 2^shift ticks. */
size_t pt_packet__mtc(uint8_t *out, uint64_t ctc, unsigned int shift);

/** Ratio of core clock to bus clock. */
size_t pt_packet__cbr(uint8_t *out, uint8_t ratio);

size_t pt_packet__mode_exec(uint8_t *out, enum pt_code_width mode);

/** A new page table base; the unit traces no guests, so NonRoot is 0. */
size_t pt_packet__pip(uint8_t *out, uint64_t cr3);

/**
 * Outcomes of count (1..47) conditional branches; the oldest is the highest of the
 * low count bits of bits. Up to 6 make a short packet, more a long one.
 */
size_t pt_packet__tnt(uint8_t *out, uint64_t bits, unsigned int count);

/**
 * A packet with an instruction pointer, as short as *last_ip allows; *last_ip
 * becomes ip. A PSB makes last_ip 0: the caller does that.
 */
size_t pt_packet__ip(uint8_t *out, enum pt_ip_packet type, uint64_t ip, uint64_t *last_ip);

/** An IP packet without IP ("suppressed"); last IP stays. */
size_t pt_packet__no_ip(uint8_t *out, enum pt_ip_packet type);

#endif
