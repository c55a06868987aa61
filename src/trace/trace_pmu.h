/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hardware trace PMUs behind one interface. To add a trace PMU, add a folder that fills a struct
 * trace_pmu_ops, its declaration at the end of this header, and a line in the table of trace_pmu.c.
 */
#ifndef AUXBPF_TRACE_TRACE_PMU_H
#define AUXBPF_TRACE_TRACE_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "perfdata/trace_info.h"
#include "trace/aux_new.h"
#include "trace/pmu_terms.h"

struct trace_pmu;
struct trace_event;

struct trace_pmu_ops {
	/* The kernel's name of the PMU, as in /sys/bus/event_source/devices. */
	const char *name;
	/* The information about the unit that the file has for the decoder. */
	const struct trace_info *info;
	/* Sets the terms that perf would choose if the user gives none. 0 or a negative errno. */
	int (*default_config)(const struct trace_pmu *pmu, struct pmu_config *config);
	/* Sets the terms for pieces in samples, which are short; NULL: the driver gives no trace to
	 * samples. */
	int (*sample_config)(const struct trace_pmu *pmu, struct pmu_config *config);
	/* Returns the ops of one event, if events differ in them; NULL: they are these. */
	const struct trace_pmu_ops *(*of_event)(const struct trace_event *event);
	/* Advice for the user if no buffer can be had. */
	const char *buffer_advice;
	/* The meaning of aux_head while the buffer is overwritten. */
	enum aux_head aux_head;
	/*
	 * The trace of all CPUs goes into one buffer of the hardware, and from there into the AUX buffer of
	 * the CPU whose event stops last, when those of the others are off.
	 */
	bool shared_buffer;
	/* Finds the places from which the trace can be decoded. */
	aux_sync_fn next_sync;
	/*
	 * Tells whether the times in a CPU's trace are of the clock that tsc__read() reads, so that the two
	 * can be compared. NULL: they are.
	 */
	bool (*has_kernel_clock)(const char *root, int cpu);
	/* Make the trace behind a snapshot decode on its own. NULL: it does, because the driver restarts the
	 * unit. */
	aux_follow_fn follow;
	aux_lead_in_fn lead_in;
	/*
	 * Tell where a piece of trace must end if some is missing behind it, and what must be in front of the
	 * next one, which then begins with a sync point. NULL: nothing is to be done.
	 */
	aux_whole_fn whole;
	aux_gap_fn gap;
	/* Goes behind each piece of trace in a file that is written at once; NULL: nothing does. */
	const struct span *tail;
};

struct trace_pmu {
	const struct trace_pmu_ops *ops;
	const char *root; /* of sysfs, "" for the real one */
	uint32_t type;	  /* for perf_event_attr.type */
};

/* An event as the user gives it to -e: PMU/terms/modifiers. */
struct trace_event {
	struct trace_pmu pmu;
	struct pmu_config config;
	bool modes_given; /* by modifiers; otherwise both modes are traced */
	bool exclude_user;
	bool exclude_kernel;
	char name[128]; /* as perf would show it, with the terms as given */
};

/* Finds the machine's trace PMU, the first one of the table that exists. -ENODEV if there is none. */
int trace_pmu__find(const char *root, struct trace_pmu *ret) _must_check_ _nonnull_(1, 2);

/* Returns the names that trace_pmu__find() looks for, separated by commas. */
const char *trace_pmu__known(void);

/* Tells whether a PMU of that name is one of them. */
bool trace_pmu__is_known(const char *name) _nonnull_(1);

/*
 * Parses an event: "intel_pt//", "intel_pt/tsc=0/k", "intel_pt:u". @spec NULL stands for the machine's trace
 * PMU with its defaults. Without modifiers both kernel and user space are traced, as perf does it. Logs what
 * is wrong. 0, -EINVAL for a text that is no such event, -ENODEV if there is no such PMU.
 */
int trace_event__parse(const char *root, const char *spec, struct trace_event *ret) _must_check_
	_nonnull_(1, 3);

/* Has an event without modifiers trace the kernel alone, for windows that lie in it. */
void trace_event__default_to_kernel(struct trace_event *event) _nonnull_(1);

/*
 * Prepares the event for samples with pieces of its trace: sets what @spec, as for trace_event__parse(), does
 * not. Logs; 0, or -EINVAL if this PMU gives no trace to samples.
 */
int trace_event__put_in_samples(struct trace_event *event, const char *spec) _must_check_ _nonnull_(1);

/* Calls ops->has_kernel_clock, if there is one, for a CPU. */
bool trace_pmu__has_kernel_clock(const struct trace_pmu *pmu, int cpu) _nonnull_(1);

/* Returns the modes that are traced, in words. */
const char *trace_event__modes(const struct trace_event *event) _nonnull_(1);

/* Returns the value of the term @name in the event's config; 0 if the PMU has no such term. */
uint64_t trace_event__term(const struct trace_event *event, const char *name) _nonnull_(1, 2);

extern const struct trace_pmu_ops intel_pt_ops;
extern const struct trace_info intel_pt_info;
extern const struct trace_pmu_ops cs_etm_ops;
extern const struct trace_info cs_etm_info;

#endif
