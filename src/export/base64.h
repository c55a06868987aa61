/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes bytes as text, one by one (RFC 4648, 4).
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_BASE64_H
#define AUXBPF_EXPORT_BASE64_H

#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"

/* Zero-initialised but for @to is ready. */
struct base64 {
	FILE *to;
	uint32_t held; /* bytes that were not written yet */
	unsigned int nr;
};

void base64__put(struct base64 *b, uint8_t byte) _nonnull_(1);

/* Puts a number, seven bits a byte, the lowest first; all but the last one have the bit 0x80. */
void base64__put_number(struct base64 *b, uint64_t number) _nonnull_(1);

/* Writes what is held, with its padding; @b is ready for other bytes then. */
void base64__finish(struct base64 *b) _nonnull_(1);

#endif
