/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packets of Intel PT, as far as one must know them to go from one to the next: Intel SDM vol. 3, Intel
 * Processor Trace, "Trace Packets and Data Types".
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_TRACE_INTEL_PT_PACKET_H
#define AUXBPF_TRACE_INTEL_PT_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* The longest packet is PSB. */
#define PT_PACKET_MAX 16
#define PT_PSB_SIZE 16

/* The first bytes of packets. */
#define PT_PAD 0x00
#define PT_EXTENDED 0x02 /* the second byte tells which one */
#define PT_TSC 0x19
#define PT_MTC 0x59
#define PT_MODE 0x99
#define PT_TIP_PGE_64 0xd1 /* with a full instruction pointer */

/* The second bytes of extended packets. */
#define PT_EXT_PSB 0x82
#define PT_EXT_PSBEND 0x23
#define PT_EXT_CBR 0x03
#define PT_EXT_PIP 0x43
#define PT_EXT_OVF 0xf3

/*
 * Returns the length of the packet that begins at @data, of which @avail bytes are there. 0 if it is cut off,
 * or unknown, or of a block (BBP), in which other rules hold.
 */
size_t pt_packet__len(const uint8_t *data, size_t avail) _nonnull_(1);

/* Tells whether the packet (TIP, TIP.PGE, TIP.PGD, FUP) has an instruction pointer that is not suppressed. */
bool pt_packet__has_ip(const uint8_t *data) _nonnull_(1);

/* Tells whether the packet is FUP. */
bool pt_packet__is_fup(const uint8_t *data) _nonnull_(1);

/* Returns the packet's instruction pointer. The packet may have only low bytes; the others are those of
 * @last. */
uint64_t pt_packet__ip(const uint8_t *data, uint64_t last) _nonnull_(1);

#endif
