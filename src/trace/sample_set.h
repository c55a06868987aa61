/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regular events, those that sample: as the user names them with -e, and as they are opened and written to
 * files. Names are those that perf record takes; what the kernel can tell of them is asked of it, tracepoints
 * of tracefs and the events of PMUs of sysfs.
 */
#ifndef AUXBPF_TRACE_SAMPLE_SET_H
#define AUXBPF_TRACE_SAMPLE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "trace/sample_event.h"

/* Zero-initialised: there are none. */
struct sample_set {
	struct sample_event *events;
	size_t nr;
	struct buf
		tracing; /* what a reader must know of the tracepoints: perfdata/tracing_data.h; may be empty */
	bool with_users;  /* an event that counts in user space is among them */
	bool with_stacks; /* samples have stacks to unwind ... */
	bool with_aux; /* ... or the trace that led to them: their events are members of the trace's group */
};

/*
 * Adds an event, "cpu-clock:u" or "sched:sched_switch", all tracepoints that match a pattern, "sched:*", or a
 * group of events, "{cpu-clock,page-faults:k}:u", whose modifiers are added to theirs. A name may have terms,
 * "cpu-clock/freq=99/", and modifiers: u, k, h (in user space, the kernel, the hypervisor only), p (precise),
 * P (as precise as can be). @root is that of sysfs, tracefs and /proc. Logs what is wrong; 0, -EINVAL or
 * -ENOMEM.
 */
int sample_set__add(struct sample_set *set, const char *root, const char *spec) _must_check_
	_nonnull_(1, 2, 3);

/* What samples have beside what is always there. */
struct sample_opts {
	bool callers;
	bool cgroup; /* whose it is */
	/* Bytes of the user's stack, for the reader to unwind by DWARF's tables, a multiple of 8; 0: the
	 * kernel follows frame pointers. */
	uint32_t stack;
	/* They are taken beside a trace: their clock is perf's own, not CLOCK_MONOTONIC as that of triggers. */
	bool beside_trace;
	uint32_t aux; /* bytes of that trace in each, its last, a multiple of 8; 0: none */
};

/* To be called behind the last one. Logs; 0 or a negative errno. */
int sample_set__complete(struct sample_set *set, const char *root,
			 const struct sample_opts *opts) _must_check_ _nonnull_(1, 2, 3);

void sample_set__release(struct sample_set *set) _nonnull_(1);

#endif
