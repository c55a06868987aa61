/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells whether the gate of a CPU stayed closed since the last look at it: a decoder asks for none of the
 * context switches of such a time.
 */
#ifndef AUXBPF_RINGS_GATE_REST_H
#define AUXBPF_RINGS_GATE_REST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "gate/gate.h"
#include "trace/cpu_trace.h"

struct gate_rest;

/* Watches the gates of the @nr @cpus; @gate and @cpus must outlive it. 0 or -ENOMEM. */
int gate_rest__new(const struct gate *gate, const struct cpu_trace *cpus, size_t nr,
		   struct gate_rest **ret) _must_check_ _nonnull_(1, 2, 4);
void gate_rest__free(struct gate_rest *rest);

DEFINE_CLEANUP(gate_rest, struct gate_rest *, gate_rest__free)

/*
 * Looks at the CPU number @i. Returns true if its gate was closed at this look and the two before, and was
 * not opened in between: then there is no trace of the time of the records that were drained since the last
 * look. To be called right after each drain of the ring. Returns false if user space moves the gate, as it
 * does so later than is counted.
 */
bool gate_rest__look(struct gate_rest *rest, size_t i) _nonnull_(1);

#endif
