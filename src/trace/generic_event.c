// SPDX-License-Identifier: GPL-2.0-only
#include "trace/generic_event.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

static const struct generic_event events[] = {
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
	{"bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
	{"cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
};

/* The name of a cache event has a part of each of the two tables below, as "L1-dcache" and "-load-misses". */
struct part {
	const char *text;
	uint32_t config;
};

static const struct part caches[] = {
	{"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
	{"LLC", PERF_COUNT_HW_CACHE_LL},	{"dTLB", PERF_COUNT_HW_CACHE_DTLB},
	{"iTLB", PERF_COUNT_HW_CACHE_ITLB},	{"branch", PERF_COUNT_HW_CACHE_BPU},
	{"node", PERF_COUNT_HW_CACHE_NODE},
};

#define ACCESSES(op) (PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16)
#define MISSES(op) (PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct part accesses[] = {
	{"-loads", ACCESSES(READ)},	     {"-load-misses", MISSES(READ)},
	{"-stores", ACCESSES(WRITE)},	     {"-store-misses", MISSES(WRITE)},
	{"-prefetches", ACCESSES(PREFETCH)}, {"-prefetch-misses", MISSES(PREFETCH)},
};

static bool find_access(const char *name, const struct part *cache, struct generic_event *ret)
{
	const size_t len = strlen(cache->text);

	for (size_t i = 0; !strncmp(name, cache->text, len) && i < ARRAY_SIZE(accesses); i++) {
		if (strcmp(name + len, accesses[i].text))
			continue;
		*ret = (struct generic_event){name, PERF_TYPE_HW_CACHE, cache->config | accesses[i].config};
		return true;
	}
	return false;
}

bool generic_event__find(const char *name, struct generic_event *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		if (strcmp(name, events[i].name))
			continue;
		*ret = events[i];
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(caches); i++)
		if (find_access(name, &caches[i], ret))
			return true;
	return false;
}

void generic_event__offer(const char *wanted, struct nearest *near)
{
	char name[32];

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		nearest__offer(near, wanted, events[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(caches); i++)
		for (size_t j = 0; j < ARRAY_SIZE(accesses); j++) {
			snprintf(name, sizeof(name), "%s%s", caches[i].text, accesses[j].text);
			nearest__offer(near, wanted, name);
		}
}
