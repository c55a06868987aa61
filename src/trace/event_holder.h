/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out who holds a trace PMU that is busy: the processes with a perf event of it open.
 */
#ifndef AUXBPF_TRACE_EVENT_HOLDER_H
#define AUXBPF_TRACE_EVENT_HOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "trace/trace_pmu.h"

/*
 * Finds the processes, except this one, whose events of the PMU @type keep others from opening it on @cpu:
 * events of that CPU and of tasks. Writes at most @max of them, each once, and returns how many these are. 0
 * if none is found: the event may live on in a mapping, or in a descriptor on its way through a socket.
 * Negative errno: the BPF program cannot be loaded, which needs CAP_SYS_ADMIN, or run.
 */
int event_holder__find(uint32_t type, int cpu, struct auxbpf_holder *holders, size_t max) _must_check_
	_nonnull_(3);

/* Formats a text for people, "perf (pid 12), auxbpf (pid 34)"; cut if @size is too small. */
void event_holder__format(const struct auxbpf_holder *holders, int nr, char *text, size_t size)
	_nonnull_(1, 3);

/* Logs that the PMU of @event is busy on @cpu, who holds it, and what to do. */
void event_holder__log_busy(const struct trace_event *event, int cpu) _nonnull_(1);

#endif
