/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The regular events of one CPU, and the ring to which all of them write: the newest samples overwrite the
 * oldest. The ring has only samples. What is needed to understand them is not repeated, so it must not be
 * overwritten and is in the sideband (trace/cpu_trace.h).
 */
#ifndef AUXBPF_TRACE_SAMPLE_RING_H
#define AUXBPF_TRACE_SAMPLE_RING_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "trace/ring.h"
#include "trace/sample_set.h"

/* Zero-initialised, it has no events. */
struct sample_ring {
	int *fds; /* one for each event */
	uint64_t *ids;
	size_t nr;
	struct ring ring;
	uint64_t taken; /* how many of all bytes that were written were seen */
};

/*
 * Opens the events of @set on @cpu, in the group of @group_fd (-1: none), and maps a ring of @size bytes, a
 * power of two and a multiple of the page size; enables nothing. Logs what is wrong; 0 or a negative errno.
 * Call sample_ring__close() in any case.
 */
int sample_ring__open(struct sample_ring *r, int cpu, int group_fd, const struct sample_set *set,
		      size_t size) _must_check_ _nonnull_(1, 4);

int sample_ring__enable(struct sample_ring *r) _must_check_ _nonnull_(1);
void sample_ring__disable(struct sample_ring *r) _nonnull_(1);

/* Pauses the ring or lets it go on. While it is paused, samples are lost, and the kernel counts them. */
void sample_ring__pause(struct sample_ring *r, bool pause) _nonnull_(1);

/*
 * Copies the records of a paused ring that were not taken yet to @to, which has room for the whole ring,
 * newest first. Records later than @until, a time of the events' clock, are left for the next call.
 */
struct span sample_ring__take(struct sample_ring *r, uint64_t until, uint8_t *to) _nonnull_(1, 3);

void sample_ring__close(struct sample_ring *r) _nonnull_(1);

#endif
