/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf events of one CPU: the AUX event, which starts paused, and a dummy event for the sideband. Both
 * write their records into the ring of the AUX event, so that these are in order. Beside it, or instead of it,
 * regular events: they have a ring of their own; without an AUX event so has the sideband.
 */
#ifndef AUXBPF_TRACE_CPU_TRACE_H
#define AUXBPF_TRACE_CPU_TRACE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "trace/ring.h"
#include "trace/sample_ring.h"
#include "trace/trace_pmu.h"
#include "trace/aux_new.h"
#include "perfdata/clock_pair.h"
#include "perfdata/tsc_conv.h"

/* Bytes of the ring of the sideband. */
#define CPU_TRACE_RING_SIZE (512u << 10)

struct cpu_trace {
	int cpu;
	int aux_fd; /* -1: there is none */
	int sideband_fd;
	bool copies_aux; /* the trace is copied from its buffer: samples do not have it */
	bool paused;	 /* the AUX event was opened to be paused until the gate opens */
	uint64_t aux_id;
	uint64_t sideband_id;
	struct ring ring; /* of the sideband; with an AUX event, its */
	struct sample_ring samples;
	struct aux_position position; /* up to where the AUX buffer was seen */
	struct buf sideband;	      /* what was drained from the ring so far */
};

/* What is opened on each CPU: an AUX event, regular ones, or both. Sizes are powers of two and multiples of the
 * page size. */
struct cpu_trace_opts {
	const struct trace_event *event; /* NULL: none */
	bool paused;			 /* it starts paused */
	bool stream;			 /* its buffer is read while it is written: nothing is overwritten */
	size_t aux_size;		 /* of its buffer */
	const struct sample_set *samples;
	size_t sample_size; /* of their ring */
	bool namespaces;    /* the sideband tells in which namespaces tasks are ... */
	bool cgroups;	    /* ... and of new cgroups */
};

/* The attributes with which the events are opened; capture files tell them. */
void cpu_trace__aux_attr(const struct cpu_trace_opts *opts, struct perf_event_attr *attr) _nonnull_(1, 2);
void cpu_trace__sideband_attr(const struct cpu_trace_opts *opts, struct perf_event_attr *attr)
	_nonnull_(1, 2);

/* Opens and maps; nothing is enabled. Logs what is wrong and what to do; 0 or a negative errno. */
int cpu_trace__open(struct cpu_trace *t, int cpu, const struct cpu_trace_opts *opts) _must_check_
	_nonnull_(1, 3);

/* The same for a CPU that is not traced: sideband alone, without switches. */
int cpu_trace__open_sideband(struct cpu_trace *t, int cpu, const struct cpu_trace_opts *opts) _must_check_
	_nonnull_(1, 3);

/* The event whose ring has the sideband: polls readable when there is some to drain. */
int cpu_trace__fd(const struct cpu_trace *t) _nonnull_(1);

/* How many bytes a copy of all that it has but the sideband may take. */
size_t cpu_trace__size(const struct cpu_trace *t) _nonnull_(1);

/* Starts the sideband, which must run before anything that it tells of. */
int cpu_trace__enable_sideband(struct cpu_trace *t) _must_check_ _nonnull_(1);

/*
 * Enables the regular events, and the AUX event and its group if it is paused until the gate opens: one that is not is
 * enabled by whoever opens the gate.
 */
int cpu_trace__enable(struct cpu_trace *t) _must_check_ _nonnull_(1);

/* Stops all of them. From here on the AUX buffer's head is true and does not move. */
void cpu_trace__disable(struct cpu_trace *t) _nonnull_(1);

/* Moves what the ring holds to t->sideband. */
int cpu_trace__drain(struct cpu_trace *t) _must_check_ _nonnull_(1);

/* The same, while nothing has been traced yet: of the switches until now only the last stays. */
int cpu_trace__drain_idle(struct cpu_trace *t) _must_check_ _nonnull_(1);

/*
 * Stop the AUX event or pause the ring of the samples, and let it go on. While it is stopped the head of the
 * buffer is true and the sideband goes on. An event that was not opened to be paused stays stopped: user
 * space enables it when the gate opens.
 */
void cpu_trace__stop(struct cpu_trace *t) _nonnull_(1);
int cpu_trace__start(struct cpu_trace *t) _must_check_ _nonnull_(1);

/* How the trace's clock converts to perf's; all zero where it does not. Logs; 0 or a negative errno. */
int cpu_trace__clock(const struct cpu_trace *t, struct tsc_conv *ret) _must_check_ _nonnull_(1, 2);

/* What the clock of triggers and that of the regular events show now. */
void cpu_trace__clocks(const struct cpu_trace *t, struct clock_pair *ret) _nonnull_(1, 2);

void cpu_trace__close(struct cpu_trace *t) _nonnull_(1);

#endif
