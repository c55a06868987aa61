/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the gates of CPUs were closed all the time since they were looked at: of the context switches of then a
 * decoder asks nothing.
 */
#ifndef AUXBPF_RINGS_GATE_REST_H
#define AUXBPF_RINGS_GATE_REST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "trace/cpu_trace.h"
#include "gate/gate.h"

struct gate_rest;

/* For the @nr @cpus, which outlive it, as the gate does. 0 or -ENOMEM. */
int gate_rest__new(const struct gate *gate, const struct cpu_trace *cpus, size_t nr,
		   struct gate_rest **ret) _must_check_ _nonnull_(1, 2, 4);
void gate_rest__free(struct gate_rest *rest);

DEFINE_CLEANUP(gate_rest, struct gate_rest *, gate_rest__free)

/*
 * Looks at the CPU number @i. True if its gate was closed at this look and the two before, and was not opened in
 * between. So there is no trace of the time of records that were drained since the last look: to call it right
 * after each time that the ring was drained. False where user space moves the gate, later than is counted.
 */
bool gate_rest__look(struct gate_rest *rest, size_t i) _nonnull_(1);

#endif
