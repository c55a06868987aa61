/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens perf events (perf_event_open(2)) with what the uapi headers of older distributions lack.
 */
#ifndef AUXBPF_TRACE_PERF_EVENT_H
#define AUXBPF_TRACE_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Bits of perf_event_attr.aux_action, Linux 6.13 (include/uapi/linux/perf_event.h). */
#define PERF_AUX_ACTION_START_PAUSED 1u
#define PERF_AUX_ACTION_PAUSE 2u
#define PERF_AUX_ACTION_RESUME 4u

/*
 * The sample type of every event; samples of regular events have more behind that. Decoders require that the
 * fields which all records have are at the same places.
 */
#define PERF_EVENT_SAMPLE_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

void perf_attr__set_aux_action(struct perf_event_attr *attr, uint32_t action) _nonnull_(1);

/*
 * Opens an event that counts every task of @cpu, in the group of @group_fd or as a leader of its own (-1).
 * attr->size is set here. Returns the descriptor, close-on-exec, or a negative errno.
 */
int perf_event__open_cpu(struct perf_event_attr *attr, int cpu, int group_fd) _must_check_ _nonnull_(1);

/* Does the same with attr.config3, which headers before Linux 6.3 lack, and kernels too: they take only 0. */
int perf_event__open_config3(const struct perf_event_attr *attr, uint64_t config3, int cpu,
			     int group_fd) _must_check_ _nonnull_(1);

/* Opens an event that counts this thread, and is otherwise the same. */
int perf_event__open_self(struct perf_event_attr *attr) _must_check_ _nonnull_(1);

/* Reads the id that samples of the event carry. */
int perf_event__id(int fd, uint64_t *ret) _must_check_ _nonnull_(2);

#endif
