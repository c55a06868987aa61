/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The description of a capture: its events, the trace PMU, and what is written of each CPU.
 */
#ifndef AUXBPF_CAPTURE_CAPTURE_DESC_H
#define AUXBPF_CAPTURE_CAPTURE_DESC_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_window.h"
#include "base/buf.h"
#include "perfdata/aux_piece.h"
#include "perfdata/trace_info.h"
#include "perfdata/tsc_conv.h"
#include "rules/window_set.h"

/* One event as it was opened on several CPUs. The arrays are the caller's. */
struct capture_event {
	/*
	 * As given to perf_event_open(); sample_id_all must be set. The sample types of all events of a
	 * capture are alike (perfdata/record.h).
	 */
	const struct perf_event_attr *attr;
	const char *name;    /* as perf would print it, e.g. "intel_pt//k" or "dummy:u" */
	const int *cpus;     /* nr_ids CPU numbers */
	const uint64_t *ids; /* nr_ids ids of PERF_EVENT_IOC_ID, for cpus[i] each */
	unsigned int nr_ids;
	unsigned int nr_members; /* if it leads a group: the events that follow it in the array and are its
				    siblings */
};

/* Whole perf records as they came from the ring of one CPU, in ring order. */
struct capture_sideband {
	struct span records;
};

/* The trace PMU, from which AUXTRACE_INFO is made. */
struct capture_trace {
	const struct trace_info *info; /* the PMU's; NULL: no AUX data in this capture */
	uint32_t pmu_type;
	const struct span *tail; /* what is added after each piece of trace, or NULL */
	/*
	 * The trace is in CoreSight's frames. If its decoder asks for PERF_RECORD_AUX, one such record then
	 * tells of the whole piece.
	 */
	bool formatted;
};

/* The windows that the capture tells of. Its times are of the events' clock. */
struct capture_windows {
	const struct window_set *asked; /* NULL: the capture does not tell of windows */
	const struct auxbpf_window *all;
	size_t nr;
	uint64_t left_out; /* so many others were overwritten */
};

struct capture_desc {
	const struct capture_event *events; /* the AUX event first, as perf orders them */
	unsigned int nr_events;
	struct span tasks; /* records of tasks from before the sideband; empty: those noted at the start */
	const struct capture_sideband *sideband; /* this and aux: what is written at once */
	unsigned int nr_sideband;
	const struct aux_piece *aux;
	unsigned int nr_aux;
	struct capture_trace trace;
	struct span
		tracing; /* what a reader must know of tracepoints (perfdata/tracing_data.h); may be empty */
	struct tsc_conv tsc; /* all zero if there is none */
	struct capture_windows windows;
	bool monotonic; /* the events' clock is CLOCK_MONOTONIC, not perf's own */
};

#endif
