/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the gate of a CPU was open, by its last moves as the programs keep them (bpf/gate.bpf.h): what tells
 * of a sample whether it came inside of a window if nothing at the event could.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_GATE_GATE_MOVES_H
#define AUXBPF_GATE_GATE_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

struct gate_moves {
	const uint64_t *all; /* oldest first */
	size_t nr;
	bool complete; /* none was overwritten: the gate was closed before the first */
};

/*
 * Puts @ring, a copy of its @size entries, in order, in place: @ret shows it. The programs may have gone on
 * while it was copied.
 */
void gate_moves__sort(uint64_t *ring, size_t size, struct gate_moves *ret) _nonnull_(1, 3);

/* Whether the gate was open at @time; false if it is not known any more. */
bool gate_moves__was_open(const struct gate_moves *moves, uint64_t time) _nonnull_(1);

/* From when on it is known. */
uint64_t gate_moves__since(const struct gate_moves *moves) _nonnull_(1);

/*
 * Appends to @to whole @records of the CPU, whose events have @sample_type, without those context switches that
 * tell nothing of times when the gate was open: the last one before it opened does. Records and moves have one
 * clock, or seem to be up to @slack apart; @moves has all until @now. 0, -ENOMEM, or -EBADMSG where something is
 * no record.
 */
int gate_moves__filter(const struct gate_moves *moves, uint64_t slack, uint64_t now, struct span records,
		       uint64_t sample_type, struct buf *to) _must_check_ _nonnull_(1, 6);

#endif
