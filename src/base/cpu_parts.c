// SPDX-License-Identifier: GPL-2.0-only
#include "base/cpu_parts.h"

unsigned int cpu_parts__count(size_t nr_cpus)
{
	return nr_cpus ? (unsigned int)((nr_cpus + CPUS_A_PART - 1) / CPUS_A_PART) : 1;
}

size_t cpu_parts__cpu(const struct cpu_parts *parts, unsigned int part, size_t n)
{
	size_t at = part + n * parts->nr;

	return at < parts->nr_cpus ? (parts->first + at) % parts->nr_cpus : parts->nr_cpus;
}
