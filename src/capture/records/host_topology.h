/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packages, dies, cores and memory nodes of the machine, from sysfs
 * (Documentation/admin-guide/cputopology.rst), as the payloads of feature sections.
 */
#ifndef AUXBPF_CAPTURE_RECORDS_HOST_TOPOLOGY_H
#define AUXBPF_CAPTURE_RECORDS_HOST_TOPOLOGY_H

#include "base/buf.h"
#include "base/cleanup.h"

/* The highest CPU number in /sys/devices/system/cpu/@which ("present", "online") plus 1, or -1. */
int host_topology__nr_cpus(const char *root, const char *which) _nonnull_(1, 2);

/*
 * Lists the CPUs in /sys/devices/system/cpu/@which in ascending order: the first @max go to @cpus, which is
 * NULL if @max is 0. Returns how many there are, or a negative errno. Logs nothing.
 */
int host_topology__list_cpus(const char *root, const char *which, int *cpus, int max) _must_check_
	_nonnull_(1, 2);

/* Append the payloads of FEATURE_CPU_TOPOLOGY and FEATURE_NUMA_TOPOLOGY; nothing if sysfs has none. */
void host_topology__add_cpus(const char *root, struct buf *b) _nonnull_(1, 2);
void host_topology__add_nodes(const char *root, struct buf *b) _nonnull_(1, 2);

#endif
