/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel's own records say is missing, in words: at the end of a session.
 */
#ifndef AUXBPF_SUMMARY_LOSSES_H
#define AUXBPF_SUMMARY_LOSSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* A warning that so many records of a CPU are missing; 0: none are. */
void losses__log_records(int cpu, uint64_t nr);

/*
 * A warning that the kernel took a CPU's event out of service so often, PERF_AUX_FLAG_TRUNCATED of a buffer that
 * is overwritten; 0: it did not. A full buffer is no reason then; a sink that another session has is one
 * (etm_event_start(), drivers/hwtracing/coresight/coresight-etm-perf.c), and so is an error of the unit.
 */
void losses__log_stops(int cpu, uint64_t nr);

/*
 * Of a snapshot: " with 2 gaps", with how many bytes were overwritten before they were copied, or nothing;
 * returns @text, for which 80 bytes are enough.
 */
const char *losses__of_snapshot(uint64_t gaps, uint64_t overwritten, char *text, size_t size) _nonnull_(3);

/* " with 2 gaps", of capture_file__gaps(), or nothing; returns @text. */
const char *losses__gaps(uint64_t nr, char *text, size_t size) _nonnull_(2);

#endif
