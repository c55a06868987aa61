// SPDX-License-Identifier: GPL-2.0-only
#include "capture/records/host_topology.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/path.h"
#include "perfdata/feature.h"

#define LIST_MAX 4096
#define MEMINFO_MAX 4096
#define CPU_DIR "/sys/devices/system/cpu"
#define NODE_DIR "/sys/devices/system/node"

/* Distinct strings, each with an allocation of its own. */
struct strings {
	char **all;
	uint32_t nr;
};

static void strings__release(struct strings *s)
{
	while (s->nr)
		free(s->all[--s->nr]);
	free(s->all);
}

static void strings__add(struct strings *s, const char *string, struct buf *b)
{
	char **all;
	uint32_t i;

	for (i = 0; i < s->nr; i++)
		if (!strcmp(s->all[i], string))
			return;
	all = realloc(s->all, (s->nr + 1) * sizeof(*all));
	if (!all) {
		buf__fail(b, -ENOMEM);
		return;
	}
	s->all = all;
	all[s->nr] = strdup(string);
	if (all[s->nr])
		s->nr++;
	else
		buf__fail(b, -ENOMEM);
}

int host_topology__nr_cpus(const char *root, const char *which)
{
	char list[LIST_MAX];
	const char *last;
	int cpu, len = path__read(root, list, sizeof(list), CPU_DIR "/%s", which);

	if (len <= 0)
		return -1;
	for (last = list + len; last > list && last[-1] != '-' && last[-1] != ','; last--)
		;
	return parse__cpu_list(last, &cpu, 1) == 1 ? cpu + 1 : -1;
}

int host_topology__list_cpus(const char *root, const char *which, int *cpus, int max)
{
	char list[LIST_MAX];
	int len = path__read(root, list, sizeof(list), CPU_DIR "/%s", which);

	return len < 0 ? len : parse__cpu_list(list, cpus, max);
}

static uint32_t read_id(const char *root, uint32_t cpu, const char *file)
{
	char text[32];

	if (path__read(root, text, sizeof(text), CPU_DIR "/cpu%u/topology/%s", cpu, file) <= 0)
		return (uint32_t)-1; /* as perf has it for a CPU that is offline */
	return (uint32_t)atoi(text);
}

static void read_list(const char *root, uint32_t cpu, const char *file, struct strings *s, struct buf *b)
{
	char list[LIST_MAX];

	if (path__read(root, list, sizeof(list), CPU_DIR "/cpu%u/topology/%s", cpu, file) > 0)
		strings__add(s, list, b);
}

void host_topology__add_cpus(const char *root, struct buf *b)
{
	struct strings sockets = {0}, cores = {0}, dies = {0};
	int present = host_topology__nr_cpus(root, "present");
	uint32_t nr = present > 0 ? (uint32_t)present : 0, i;
	_cleanup_free_ struct feature_cpu *cpus = calloc(nr + 1, sizeof(*cpus));

	if (!cpus) {
		buf__fail(b, -ENOMEM);
		return;
	}
	for (i = 0; i < nr; i++) {
		cpus[i].core_id = read_id(root, i, "core_id");
		cpus[i].socket_id = read_id(root, i, "physical_package_id");
		cpus[i].die_id = read_id(root, i, "die_id");
		read_list(root, i, "package_cpus_list", &sockets, b);
		read_list(root, i, "core_cpus_list", &cores, b);
		read_list(root, i, "die_cpus_list", &dies, b);
	}
	if (sockets.nr && cores.nr) {
		const struct feature_topology t = {
			.sockets = (const char *const *)sockets.all,
			.nr_sockets = sockets.nr,
			.cores = (const char *const *)cores.all,
			.nr_cores = cores.nr,
			.dies = (const char *const *)dies.all,
			.nr_dies = dies.nr,
			.cpus = cpus,
			.nr_cpus = nr,
		};

		feature__add_topology(b, &t);
	}
	strings__release(&sockets);
	strings__release(&cores);
	strings__release(&dies);
}

static bool read_meminfo(const char *root, uint32_t node, struct feature_numa_node *ret)
{
	char text[MEMINFO_MAX];
	const char *total, *free_mem;
	unsigned long long kib;

	ret->node = node;
	if (path__read(root, text, sizeof(text), NODE_DIR "/node%u/meminfo", node) <= 0)
		return false;
	total = strstr(text, "MemTotal:");
	free_mem = strstr(text, "MemFree:");
	if (!total || !free_mem || sscanf(total, "MemTotal: %llu", &kib) != 1)
		return false;
	ret->total_kib = kib;
	if (sscanf(free_mem, "MemFree: %llu", &kib) != 1)
		return false;
	ret->free_kib = kib;
	return true;
}

void host_topology__add_nodes(const char *root, struct buf *b)
{
	_cleanup_buf_ struct buf nodes = {0};
	char list[LIST_MAX];
	uint32_t nr = 0;
	int numbers[1024], n, i;

	if (path__read(root, list, sizeof(list), NODE_DIR "/has_memory") <= 0)
		return;
	n = parse__cpu_list(list, numbers, ARRAY_SIZE(numbers));
	for (i = 0; i < n && i < (int)ARRAY_SIZE(numbers); i++) {
		struct feature_numa_node node;

		if (!read_meminfo(root, (uint32_t)numbers[i], &node) ||
		    path__read(root, list, sizeof(list), NODE_DIR "/node%d/cpulist", numbers[i]) < 0)
			continue;
		node.cpus = list;
		feature__add_numa_node(&nodes, &node);
		nr++;
	}
	if (nr)
		feature__add_numa(b, nr, &nodes);
}
