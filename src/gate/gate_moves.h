/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The times when the gate of a CPU was open, from its last moves as the programs keep them (bpf/gate.bpf.h).
 * They tell whether a sample came inside a window where no program at the event could.
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
 * Sorts @ring by time, in place; it is a copy of the kept moves of a CPU, @size entries, which the programs
 * may have changed meanwhile. @ret points into it.
 */
void gate_moves__sort(uint64_t *ring, size_t size, struct gate_moves *ret) _nonnull_(1, 3);

/* Whether the gate was open at @time; false if that is not known any more. */
bool gate_moves__was_open(const struct gate_moves *moves, uint64_t time) _nonnull_(1);

/* The time from which on that is known. */
uint64_t gate_moves__since(const struct gate_moves *moves) _nonnull_(1);

/*
 * Appends to @to the @records of the CPU, whole ones of events with @sample_type. Context switches while the
 * gate was closed are left out, but for the last one before it opened, which tells who ran then. Records and
 * moves have the same clock, or clocks up to @slack apart. @moves has all moves until @now. 0, -ENOMEM, or
 * -EBADMSG if something is no record.
 */
int gate_moves__filter(const struct gate_moves *moves, uint64_t slack, uint64_t now, struct span records,
		       uint64_t sample_type, struct buf *to) _must_check_ _nonnull_(1, 6);

#endif
