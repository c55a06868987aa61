/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a session, and the ids that they have on each CPU, from which its files are described. */
#ifndef AUXBPF_CAPTURE_CAPTURE_EVENTS_H
#define AUXBPF_CAPTURE_CAPTURE_EVENTS_H

#include <stddef.h>

#include "base/cleanup.h"
#include "capture/capture_file.h"
#include "capture/capture_opts.h"

struct capture_events {
	size_t nr_cpus;
	size_t nr_all; /* with the CPUs behind them that have sideband alone */
	int *cpus;
	uint64_t *ids;		      /* for each event the ids on its CPUs */
	struct capture_event *events; /* the AUX event if there is one, the regular ones, the sideband */
	struct perf_event_attr aux, sideband;
	struct capture_desc desc; /* without sideband and AUX data; the caller may add to it */
};

/* The ids of the events of one CPU. */
struct capture_event_ids {
	uint64_t aux; /* 0: there is none */
	uint64_t sideband;
	const uint64_t *samples; /* of the regular events */
};

/*
 * Describes the events for @nr CPUs, and for others that have sideband alone, @nr_all with those. Then tell
 * of each CPU with capture_events__set_cpu(). @f must stay where it is. 0 or -ENOMEM; call
 * capture_events__release() in any case.
 */
int capture_events__init(struct capture_events *f, const struct capture_opts *opts, size_t nr,
			 size_t nr_all) _must_check_ _nonnull_(1, 2);
void capture_events__set_cpu(struct capture_events *f, size_t i, int cpu, const struct capture_event_ids *ids)
	_nonnull_(1, 4);
void capture_events__release(struct capture_events *f) _nonnull_(1);

#endif
