/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaves out of a CPU's sideband the context switches that came while its gate was closed, by the moves of
 * the gate: a decoder asks only who ran when the gate opened. This is finer than gate_rest.h, which needs no
 * moves.
 */
#ifndef AUXBPF_RINGS_GATE_MOVED_H
#define AUXBPF_RINGS_GATE_MOVED_H

#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "gate/gate.h"
#include "trace/cpu_trace.h"

struct gate_moved;

/*
 * Makes a filter for the @nr @cpus of a gate that keeps its moves; @gate and @cpus must outlive it. 0 or
 * -ENOMEM.
 */
int gate_moved__new(const struct gate *gate, const struct cpu_trace *cpus, size_t nr,
		    struct gate_moved **ret) _must_check_ _nonnull_(1, 2, 4);
void gate_moved__free(struct gate_moved *moved);

DEFINE_CLEANUP(gate_moved, struct gate_moved *, gate_moved__free)

/* To be called in place of gate_moved__filter() for drained records that need no filter. */
void gate_moved__skip(struct gate_moved *moved, size_t i) _nonnull_(1);

/*
 * Appends to @to those of the @records, just drained from the ring of the CPU number @i, that are of use; all
 * of them if the moves do not tell. 0, -ENOMEM, or -EBADMSG if something is not a record.
 */
int gate_moved__filter(struct gate_moved *moved, size_t i, struct span records, struct buf *to) _must_check_
	_nonnull_(1, 4);

#endif
