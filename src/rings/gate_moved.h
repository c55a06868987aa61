/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which records of a CPU's sideband came while its gate was closed, by the moves of the gate: of the context
 * switches of then a decoder asks nothing but who ran when it opened. Finer than gate_rest.h, which asks for no
 * moves.
 */
#ifndef AUXBPF_RINGS_GATE_MOVED_H
#define AUXBPF_RINGS_GATE_MOVED_H

#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "trace/cpu_trace.h"
#include "gate/gate.h"

struct gate_moved;

/* For the @nr @cpus of a gate that keeps its moves; all of it outlives this. 0 or -ENOMEM. */
int gate_moved__new(const struct gate *gate, const struct cpu_trace *cpus, size_t nr,
		    struct gate_moved **ret) _must_check_ _nonnull_(1, 2, 4);
void gate_moved__free(struct gate_moved *moved);

DEFINE_CLEANUP(gate_moved, struct gate_moved *, gate_moved__free)

/* To be called in place of the next one if what was drained is known to be of no use. */
void gate_moved__skip(struct gate_moved *moved, size_t i) _nonnull_(1);

/*
 * Appends to @to what of the @records, which were just drained from the ring of the CPU number @i, is of use: all,
 * where the moves do not tell. 0, -ENOMEM, or -EBADMSG where something is no record.
 */
int gate_moved__filter(struct gate_moved *moved, size_t i, struct span records, struct buf *to) _must_check_
	_nonnull_(1, 4);

#endif
