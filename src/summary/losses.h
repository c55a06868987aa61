/* SPDX-License-Identifier: GPL-2.0-only */
/* Says what is missing by the kernel's own records, at the end of a session. */
#ifndef AUXBPF_SUMMARY_LOSSES_H
#define AUXBPF_SUMMARY_LOSSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Warns that @nr records of a CPU are missing, unless it is 0. */
void losses__log_records(int cpu, uint64_t nr);

/*
 * Warns that the kernel took a CPU's event out of service @nr times, unless it is 0: PERF_AUX_FLAG_TRUNCATED
 * of a buffer that is overwritten. A full buffer is no reason then. Reasons are a sink that another session
 * has (etm_event_start(), drivers/hwtracing/coresight/coresight-etm-perf.c), and an error of the unit.
 */
void losses__log_stops(int cpu, uint64_t nr);

/*
 * Writes what a snapshot lacks: " with 2 gaps", and how many bytes were overwritten before they were copied,
 * or nothing. Returns @text, for which 80 bytes are enough.
 */
const char *losses__of_snapshot(uint64_t gaps, uint64_t overwritten, char *text, size_t size) _nonnull_(3);

/* Writes the number of capture_file__gaps(), " with 2 gaps", or nothing. Returns @text. */
const char *losses__gaps(uint64_t nr, char *text, size_t size) _nonnull_(2);

#endif
