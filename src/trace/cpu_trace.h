/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf events of one CPU: the AUX event, which starts paused, and a dummy event for the sideband. Both
 * write their records into the ring of the AUX event, so that these are in order. Beside the AUX event, or
 * instead of it, there may be regular events, which have a ring of their own. Without an AUX event the
 * sideband has its own ring, too.
 */
#ifndef AUXBPF_TRACE_CPU_TRACE_H
#define AUXBPF_TRACE_CPU_TRACE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "perfdata/clock_pair.h"
#include "perfdata/tsc_conv.h"
#include "trace/aux_new.h"
#include "trace/ring.h"
#include "trace/sample_ring.h"
#include "trace/trace_pmu.h"

/* The size of the ring of the sideband, bytes. */
#define CPU_TRACE_RING_SIZE (512u << 10)

struct cpu_trace {
	int cpu;
	int aux_fd; /* -1: there is none */
	int sideband_fd;
	bool copies_aux; /* the trace is copied from its buffer, because samples do not have it */
	bool paused;	 /* the AUX event was opened to be paused until the gate opens */
	uint64_t aux_id;
	uint64_t sideband_id;
	struct ring ring; /* of the sideband and, if there is one, of the AUX event */
	struct sample_ring samples;
	struct aux_position position; /* how far the AUX buffer was seen */
	struct buf sideband;	      /* what was drained from the ring so far */
};

/* The CPUs of a session: those that are traced come first, those with sideband only behind them. */
struct cpu_traces {
	struct cpu_trace *cpus;
	size_t nr;     /* how many are traced */
	size_t nr_all; /* with those that have sideband only */
};

/* The events that are opened on each CPU: an AUX event, regular ones, or both. Sizes are powers of two and
 * multiples of the page size. */
struct cpu_trace_opts {
	const struct trace_event *event; /* NULL: none */
	bool paused;			 /* it starts paused */
	bool stream;			 /* its buffer is read while it is written: nothing is overwritten */
	size_t aux_size;		 /* of its buffer */
	const struct sample_set *samples;
	size_t sample_size; /* of their ring */
	bool namespaces;    /* the sideband tells the namespaces of tasks ... */
	bool cgroups;	    /* ... and new cgroups */
};

/* Set the attributes with which the events are opened; they are also written to capture files. */
void cpu_trace__aux_attr(const struct cpu_trace_opts *opts, struct perf_event_attr *attr) _nonnull_(1, 2);
void cpu_trace__sideband_attr(const struct cpu_trace_opts *opts, struct perf_event_attr *attr)
	_nonnull_(1, 2);

/* Opens and maps the events of a CPU; enables nothing. Logs what is wrong and what to do; 0 or a negative
 * errno. */
int cpu_trace__open(struct cpu_trace *t, int cpu, const struct cpu_trace_opts *opts) _must_check_
	_nonnull_(1, 3);

/* Opens and maps those of a CPU that is not traced: sideband alone, without switches. */
int cpu_trace__open_sideband(struct cpu_trace *t, int cpu, const struct cpu_trace_opts *opts) _must_check_
	_nonnull_(1, 3);

/* Returns the event whose ring has the sideband: it polls readable when there is some to drain. */
int cpu_trace__fd(const struct cpu_trace *t) _nonnull_(1);

/* Returns how many bytes a copy of all but the sideband may take. */
size_t cpu_trace__size(const struct cpu_trace *t) _nonnull_(1);

/* Starts the sideband, which must run before the things that it tells of. */
int cpu_trace__enable_sideband(struct cpu_trace *t) _must_check_ _nonnull_(1);

/*
 * Enables the regular events and, if the AUX event is paused until the gate opens, also that one and its group. An
 * AUX event that is not paused is enabled by the opener of the gate.
 */
int cpu_trace__enable(struct cpu_trace *t) _must_check_ _nonnull_(1);

/* Stops all events. From here on the AUX buffer's head is true and does not move. */
void cpu_trace__disable(struct cpu_trace *t) _nonnull_(1);

/* Moves the contents of the ring to t->sideband. */
int cpu_trace__drain(struct cpu_trace *t) _must_check_ _nonnull_(1);

/* Does the same while nothing has been traced yet: of the switches until now only the last is kept. */
int cpu_trace__drain_idle(struct cpu_trace *t) _must_check_ _nonnull_(1);

/*
 * Stop the AUX event and pause the ring of the samples, and start them again. While they are stopped, the
 * head of the AUX buffer is true and the sideband goes on. An AUX event that was not opened to be paused
 * stays stopped: user space enables it when the gate opens.
 */
void cpu_trace__stop(struct cpu_trace *t) _nonnull_(1);
int cpu_trace__start(struct cpu_trace *t) _must_check_ _nonnull_(1);

/* Reads how the trace's clock converts to perf's; all zero if it does not. Logs; 0 or a negative errno. */
int cpu_trace__clock(const struct cpu_trace *t, struct tsc_conv *ret) _must_check_ _nonnull_(1, 2);

/* Reads what the clock of triggers and that of the regular events show now. */
void cpu_trace__clocks(const struct cpu_trace *t, struct clock_pair *ret) _nonnull_(1, 2);

void cpu_trace__close(struct cpu_trace *t) _nonnull_(1);

#endif
