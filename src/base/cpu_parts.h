/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPUs of a machine in parts, each for one thread that copies their trace.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_BASE_CPU_PARTS_H
#define AUXBPF_BASE_CPU_PARTS_H

#include <stddef.h>

#include "base/cleanup.h"

/*
 * As many CPUs are copied by one thread: a CPU's trace of some hundred megabytes a second goes round its buffer
 * again while the pieces of all CPUs are copied, and one thread copies some gigabytes a second.
 */
#define CPUS_A_PART 8

struct cpu_parts {
	size_t nr_cpus;
	unsigned int nr; /* parts */
	size_t first;	 /* the CPU that comes before all others */
};

/* How many parts @nr_cpus CPUs make, one at least. */
unsigned int cpu_parts__count(size_t nr_cpus);

/*
 * The @n-th CPU of a part, from 0 on; parts->nr_cpus if it has no more. Those after the first CPU are dealt out to
 * the parts in turn, so each has what is as near to it as possible.
 */
size_t cpu_parts__cpu(const struct cpu_parts *parts, unsigned int part, size_t n) _nonnull_(1);

#endif
