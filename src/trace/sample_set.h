/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The regular events, which sample, as the user names them with -e, and as they are opened and written to
 * files. The names are those that perf record takes. The kernel is asked where it can tell them: tracefs for
 * tracepoints, sysfs for the events of PMUs.
 */
#ifndef AUXBPF_TRACE_SAMPLE_SET_H
#define AUXBPF_TRACE_SAMPLE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "trace/sample_event.h"

/* Zero-initialised, it is empty. */
struct sample_set {
	struct sample_event *events;
	size_t nr;
	struct buf tracing; /* about tracepoints, for readers (perfdata/tracing_data.h); may be empty */
	bool with_users;    /* an event of them counts in user space */
	bool with_stacks;   /* samples have stacks to unwind ... */
	bool with_aux;	    /* ... or the trace that led to them: then all events are in the trace's group */
};

/*
 * Adds an event, "cpu-clock:u" or "sched:sched_switch", or all tracepoints that match a pattern, "sched:*",
 * or a group of events, "{cpu-clock,page-faults:k}:u", whose modifiers are added to theirs. A name may have
 * terms, "cpu-clock/freq=99/", and modifiers: u, k, h (in user space, the kernel, the hypervisor only), p
 * (precise), P (as precise as can be). @root is that of sysfs, tracefs and /proc. Logs what is wrong; 0,
 * -EINVAL or -ENOMEM.
 */
int sample_set__add(struct sample_set *set, const char *root, const char *spec) _must_check_
	_nonnull_(1, 2, 3);

/* The fields that samples have beside those that they always have. */
struct sample_opts {
	bool callers;
	bool cgroup; /* the cgroup of the task */
	/* Bytes of the user's stack, which the reader unwinds by DWARF's tables, a multiple of 8; 0: the
	 * kernel follows frame pointers. */
	uint32_t stack;
	/* The samples are taken beside a trace: their clock is perf's own, not CLOCK_MONOTONIC, which
	 * triggers have. */
	bool beside_trace;
	uint32_t aux; /* the last bytes of that trace in each sample, a multiple of 8; 0: none */
};

/* Completes the set; to be called after the last event was added. Logs; 0 or a negative errno. */
int sample_set__complete(struct sample_set *set, const char *root,
			 const struct sample_opts *opts) _must_check_ _nonnull_(1, 2, 3);

void sample_set__release(struct sample_set *set) _nonnull_(1);

#endif
