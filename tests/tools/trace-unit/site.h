/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An instruction and its place in a translated block, packed into the one pointer
 * that a callback gets, so that nothing is allocated that would have to live as long
 * as the translation.
 */
#ifndef SITE_H
#define SITE_H

#include <stdint.h>

#include "insn.h"

/* A block is at most 512 instructions, of 15 bytes at most. */
#define SITE_MAX_OFFSET 8191u

/** offset: bytes from the begin of the block, at most SITE_MAX_OFFSET. */
void *site__pack(const struct insn *insn, uint32_t offset);

/** Returns the offset. */
uint32_t site__unpack(const void *packed, struct insn *insn);

#endif
