/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Divides the CPUs of a machine into parts, each for one thread that copies their trace.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_BASE_CPU_PARTS_H
#define AUXBPF_BASE_CPU_PARTS_H

#include <stddef.h>

#include "base/cleanup.h"

/*
 * The number of CPUs whose trace one thread copies. A thread copies some gigabytes a second, and a CPU traces
 * some hundred megabytes a second: with more CPUs the trace of one would go round its buffer while those of
 * the others are copied.
 */
#define CPUS_A_PART 8

struct cpu_parts {
	size_t nr_cpus;
	unsigned int nr; /* parts */
	size_t first;	 /* the CPU that comes before all others */
};

/* Returns how many parts @nr_cpus CPUs make, at least one. */
unsigned int cpu_parts__count(size_t nr_cpus);

/*
 * Returns the @n-th CPU of a part, counted from 0, or parts->nr_cpus if it has no more. The CPUs are dealt
 * out to the parts in turn from the first CPU on, so each part has those that are as near to the first as
 * possible.
 */
size_t cpu_parts__cpu(const struct cpu_parts *parts, unsigned int part, size_t n) _nonnull_(1);

#endif
