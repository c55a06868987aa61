/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encodes the feature sections of a perf.data file, which describe machine, command and events.
 *
 * Each encoder appends one payload as perf's util/header.c (write_*() and process_*()) defines it. Strings
 * are padded to 64 bytes, as perf does it.
 */
#ifndef AUXBPF_PERFDATA_FEATURE_H
#define AUXBPF_PERFDATA_FEATURE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "perfdata/record.h"

/* Bit numbers in the file header (perf's util/header.h). */
enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_AUXTRACE = 18,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_BPF_PROG_INFO = 25,
	FEATURE_BPF_BTF = 26,
	FEATURE_COMPRESSED = 27,
	FEATURE_MAX = 64,
};

/* One event of the file. */
struct feature_event {
	const struct perf_event_attr *attr;
	const char *name;
	const uint64_t *ids;
	uint32_t nr_ids;
	uint32_t nr_members; /* if it leads a group: how many siblings follow it */
};

struct feature_cpu {
	uint32_t core_id;
	uint32_t socket_id;
	uint32_t die_id;
};

/* The strings are lists of CPUs as the kernel prints them ("0-3"); each distinct list is there once. */
struct feature_topology {
	const char *const *sockets; /* each has the CPUs of one package */
	uint32_t nr_sockets;
	const char *const *cores; /* each has the CPUs of one core */
	uint32_t nr_cores;
	const char *const *dies;
	uint32_t nr_dies;
	const struct feature_cpu *cpus;
	uint32_t nr_cpus; /* @available of feature__add_nrcpus() */
};

struct feature_numa_node {
	uint32_t node;
	uint64_t total_kib;
	uint64_t free_kib;
	const char *cpus;
};

struct feature_pmu {
	uint32_t type;
	const char *name;
};

/*
 * Returns an event's attributes as they go into a file: with the size that this program knows, and without
 * aux_action (Linux 6.13). That says nothing to a reader, and a perf older than 6.13 refuses the event's
 * description because of it.
 */
struct perf_event_attr feature__file_attr(const struct perf_event_attr *attr) _nonnull_(1);

void feature__add_string(struct buf *b, const char *s) _nonnull_(1, 2);
/* @available is the highest number of a present CPU plus 1. */
void feature__add_nrcpus(struct buf *b, uint32_t available, uint32_t online) _nonnull_(1);
/* @exe is the path of the program itself. @argv has its arguments with argv[0], up to NULL. */
void feature__add_cmdline(struct buf *b, const char *exe, char *const *argv) _nonnull_(1, 2, 3);
void feature__add_event_desc(struct buf *b, const struct feature_event *events, uint32_t nr) _nonnull_(1);
void feature__add_group_desc(struct buf *b, const struct feature_event *events, uint32_t nr) _nonnull_(1);
void feature__add_topology(struct buf *b, const struct feature_topology *t) _nonnull_(1, 2);
/* Appends one node to @nodes, and then the section of all @nr nodes to @b. */
void feature__add_numa_node(struct buf *nodes, const struct feature_numa_node *node) _nonnull_(1, 2);
void feature__add_numa(struct buf *b, uint32_t nr, const struct buf *nodes) _nonnull_(1, 3);
void feature__add_pmus(struct buf *b, const struct feature_pmu *pmus, uint32_t nr) _nonnull_(1);

/* Appends one entry of the build id table; @misc is PERF_RECORD_MISC_KERNEL or _USER. */
void feature__add_build_id(struct buf *b, const struct build_id *id, uint16_t misc, const char *name)
	_nonnull_(1, 2, 4);

#endif
