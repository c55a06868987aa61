// SPDX-License-Identifier: GPL-2.0-only
#include "capture/records/host_info.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/path.h"
#include "capture/records/host_topology.h"

#define LINE_MAX_LEN 256
#define MEMINFO_MAX 8192
#define PMU_MAX 256

/* Adds the text of a file as it is. */
static void add_file(const char *root, const char *path, struct buf *b)
{
	char text[LINE_MAX_LEN];

	if (path__read(root, text, sizeof(text), "%s", path) > 0)
		feature__add_string(b, text);
}

static void add_hostname(const char *root, struct buf *b)
{
	add_file(root, "/proc/sys/kernel/hostname", b);
}

static void add_osrelease(const char *root, struct buf *b)
{
	add_file(root, "/proc/sys/kernel/osrelease", b);
}

static void add_arch(const char *root, struct buf *b)
{
	struct utsname uts;

	if (!uname(&uts))
		feature__add_string(b, uts.machine);
}

static void add_nrcpus(const char *root, struct buf *b)
{
	int present = host_topology__nr_cpus(root, "present");
	int online = host_topology__list_cpus(root, "online", NULL, 0);

	if (present > 0 && online > 0)
		feature__add_nrcpus(b, (uint32_t)present, (uint32_t)online);
}

/*
 * Finds the value of the first line of /proc/cpuinfo with @key, with one space in place of several. False if
 * there is none.
 */
static bool cpuinfo(const char *root, const char *key, char *val, size_t size)
{
	_cleanup_fclose_ FILE *file = NULL;
	char line[LINE_MAX_LEN];
	int fd = path__open(root, "/proc/cpuinfo");
	size_t len = 0;
	char *s;

	if (fd < 0)
		return false;
	file = fdopen(fd, "r");
	if (!file)
		close(fd);
	while (file && fgets(line, sizeof(line), file)) {
		s = strchr(line, ':');
		if (!s || strncmp(line, key, strlen(key)) || !strchr("\t ", line[strlen(key)]))
			continue;
		for (s += strspn(s, ": "); *s && *s != '\n' && len < size - 1; s++)
			if (*s != ' ' || s[1] != ' ')
				val[len++] = *s;
		val[len] = '\0';
		return true;
	}
	return false;
}

static void add_cpudesc(const char *root, struct buf *b)
{
	char model[LINE_MAX_LEN];

	if (cpuinfo(root, "model name", model, sizeof(model)))
		feature__add_string(b, model);
}

/* Adds "GenuineIntel,6,142,10" on x86, the MIDR of the first CPU on arm64. */
static void add_cpuid(const char *root, struct buf *b)
{
	char vendor[32], family[16], model[16], step[16], id[96];

	if (cpuinfo(root, "vendor_id", vendor, sizeof(vendor)) &&
	    cpuinfo(root, "cpu family", family, sizeof(family)) &&
	    cpuinfo(root, "model", model, sizeof(model)) && cpuinfo(root, "stepping", step, sizeof(step))) {
		snprintf(id, sizeof(id), "%s,%s,%s,%s", vendor, family, model, step);
		feature__add_string(b, id);
		return;
	}
	add_file(root, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", b);
}

static void add_total_mem(const char *root, struct buf *b)
{
	char text[MEMINFO_MAX];
	unsigned long long kib;

	if (path__read(root, text, sizeof(text), "/proc/meminfo") > 0 &&
	    sscanf(text, "MemTotal: %llu", &kib) == 1)
		buf__add_u64(b, kib);
}

static void add_topology(const char *root, struct buf *b)
{
	host_topology__add_cpus(root, b);
}

static void add_numa(const char *root, struct buf *b)
{
	host_topology__add_nodes(root, b);
}

static void free_pmus(struct feature_pmu *pmus, uint32_t nr)
{
	while (nr--)
		free((void *)(uintptr_t)pmus[nr].name);
}

static void add_pmus(const char *root, struct buf *b)
{
	_cleanup_closedir_ DIR *dir = path__opendir(root, "/sys/bus/event_source/devices");
	struct feature_pmu pmus[PMU_MAX];
	struct dirent *entry;
	uint32_t nr = 0;
	uint64_t type;

	while (dir && nr < PMU_MAX && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    path__read_u64(root, &type, "/sys/bus/event_source/devices/%s/type", entry->d_name))
			continue;
		pmus[nr] = (struct feature_pmu){(uint32_t)type, strdup(entry->d_name)};
		if (pmus[nr].name)
			nr++;
		else
			buf__fail(b, -ENOMEM);
	}
	if (nr)
		feature__add_pmus(b, pmus, nr);
	free_pmus(pmus, nr);
}

static const struct {
	enum feature feature;
	void (*add)(const char *root, struct buf *b);
} sections[] = {
	{FEATURE_HOSTNAME, add_hostname},   {FEATURE_OSRELEASE, add_osrelease},
	{FEATURE_ARCH, add_arch},	    {FEATURE_NRCPUS, add_nrcpus},
	{FEATURE_CPUDESC, add_cpudesc},	    {FEATURE_CPUID, add_cpuid},
	{FEATURE_TOTAL_MEM, add_total_mem}, {FEATURE_CPU_TOPOLOGY, add_topology},
	{FEATURE_NUMA_TOPOLOGY, add_numa},  {FEATURE_PMU_MAPPINGS, add_pmus},
};

_Static_assert(ARRAY_SIZE(sections) == HOST_INFO_SECTIONS, "one buffer each");

static int read_sections(struct host_info *info, const char *root)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(sections); i++) {
		buf__truncate(&info->sections[i], 0);
		sections[i].add(root, &info->sections[i]);
		err = buf__error(&info->sections[i]);
	}
	info->known = !err;
	return err;
}

int host_info__set_features(struct host_info *info, const char *root, struct perfdata *pd)
{
	int err = info->known ? 0 : read_sections(info, root);

	for (size_t i = 0; !err && i < ARRAY_SIZE(sections); i++)
		err = perfdata__set_feature(pd, sections[i].feature, buf__span(&info->sections[i]));
	return err;
}

void host_info__release(struct host_info *info)
{
	for (size_t i = 0; i < HOST_INFO_SECTIONS; i++)
		buf__release(&info->sections[i]);
	*info = (struct host_info){0};
}
