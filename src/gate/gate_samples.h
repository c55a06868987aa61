/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regular events for which the program on_sample decides which samples are kept, and the number of samples
 * that the kernel dropped without asking it (bpf/samples.bpf.h).
 */
#ifndef AUXBPF_GATE_GATE_SAMPLES_H
#define AUXBPF_GATE_GATE_SAMPLES_H

#include <stdint.h>

#include "base/cleanup.h"
#include "trace/sample_ring.h"
#include "trace/sample_set.h"

struct auxbpf_bpf;
struct gate_samples;

/* Makes room for the counts of @nr_cpus CPUs. Call it before @skel is loaded. */
void gate_samples__configure(struct auxbpf_bpf *skel, int nr_cpus) _nonnull_(1);

/* Attaches the program that counts. @skel is loaded and outlives @ret. Logs; 0 or a negative errno. */
int gate_samples__new(struct auxbpf_bpf *skel, int nr_cpus, struct gate_samples **ret) _must_check_
	_nonnull_(1, 3);

/*
 * Makes the events of @cpu sample as on_sample decides. They are @set, in @ring, and not enabled yet.
 * Tracepoints are left out, because others share them. Logs; 0 or a negative errno.
 */
int gate_samples__add(struct gate_samples *samples, int cpu, const struct sample_ring *ring,
		      const struct sample_set *set) _must_check_ _nonnull_(1, 3, 4);

/* Says how many samples were dropped, if any. */
void gate_samples__log_losses(const struct gate_samples *samples) _nonnull_(1);

void gate_samples__free(struct gate_samples *samples);

DEFINE_CLEANUP(gate_samples, struct gate_samples *, gate_samples__free)

#endif
