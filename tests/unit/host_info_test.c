// SPDX-License-Identifier: GPL-2.0-only
/* The header's sections about the machine, from a /proc and /sys that the test writes. */
#include <stdint.h>

#include "capture/records/host_info.h"
#include "capture/records/host_topology.h"
#include "check.h"
#include "root_dir.h"
#include "trace/trace_source.h"

static int store(void *ctx, uint64_t offset, struct span span)
{
	struct buf *file = ctx;

	if (offset + span.len > file->len)
		buf__add(file, NULL, offset + span.len - file->len);
	buf__put_at(file, offset, span.data, span.len);
	return buf__error(file);
}

static uint64_t u64_at(const struct buf *b, uint64_t offset)
{
	uint64_t val = 0;

	if (CHECK(offset + sizeof(val) <= b->len))
		memcpy(&val, b->data + offset, sizeof(val));
	return val;
}

static void put_cpu(const struct root_dir *root, int cpu, const char *core, const char *cpus)
{
	static const char *const same[][2] = {{"physical_package_id", "0"},
					      {"die_id", "0"},
					      {"package_cpus_list", "0-1,3"},
					      {"die_cpus_list", "0-1,3"}};
	char name[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		snprintf(name, sizeof(name), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, same[i][0]);
		CHECK(root_dir__put(root, name, same[i][1]));
	}
	snprintf(name, sizeof(name), "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
	CHECK(root_dir__put(root, name, core));
	snprintf(name, sizeof(name), "/sys/devices/system/cpu/cpu%d/topology/core_cpus_list", cpu);
	CHECK(root_dir__put(root, name, cpus));
}

static void put_machine(const struct root_dir *root)
{
	CHECK(root_dir__put(root, "/proc/sys/kernel/hostname", "here\n"));
	CHECK(root_dir__put(root, "/proc/sys/kernel/osrelease", "7.3.4\n"));
	CHECK(root_dir__put(root, "/proc/cpuinfo",
			    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 142\n"
			    "model name\t: Some  CPU   @ 2GHz\nstepping\t: 10\n"));
	CHECK(root_dir__put(root, "/proc/meminfo", "MemTotal:       2014616 kB\nMemFree:        1000 kB\n"));
	CHECK(root_dir__put(root, "/sys/devices/system/cpu/present", "0-3\n"));
	CHECK(root_dir__put(root, "/sys/devices/system/cpu/online", "0-1,3\n"));
	put_cpu(root, 0, "0\n", "0-1\n");
	put_cpu(root, 1, "0\n", "0-1\n");
	put_cpu(root, 3, "1\n", "3\n");
	CHECK(root_dir__put(root, "/sys/devices/system/node/has_memory", "0\n"));
	CHECK(root_dir__put(root, "/sys/devices/system/node/node0/cpulist", "0-3\n"));
	CHECK(root_dir__put(root, "/sys/devices/system/node/node0/meminfo",
			    "Node 0 MemTotal:       2014616 kB\nNode 0 MemFree:         777 kB\n"));
	CHECK(root_dir__put(root, "/sys/bus/event_source/devices/intel_pt/type", "8\n"));
	CHECK(root_dir__put(root, "/sys/bus/event_source/devices/intel_pt/format/tsc", "config:10\n"));
	CHECK(root_dir__put(root, "/sys/bus/event_source/devices/intel_pt/format/mtc_period",
			    "config:14-17\n"));
	CHECK(root_dir__put(root, "/sys/bus/event_source/devices/intel_pt/max_nonturbo_ratio", "24\n"));
	CHECK(root_dir__put(root, "/sys/bus/event_source/devices/intel_pt/caps/event_trace", "1\n"));
	CHECK(root_dir__put(root, "/sys/bus/event_source/devices/cs_etm/cpu0/trcidr/trcidr0",
			    "0x28000ea1\n"));
	CHECK(root_dir__put(root, "/sys/bus/event_source/devices/cs_etm/cpu1/trcidr/trcidr0",
			    "0x28000ea2\n"));
	CHECK(root_dir__put(root, "/sys/bus/event_source/devices/cs_etm/cpu0/ts_source", "-1\n"));
}

/* The bits of the header and the text of every string section. */
static void check_sections(struct host_info *info, const char *root)
{
	static const uint64_t expected = 1 << FEATURE_HOSTNAME | 1 << FEATURE_OSRELEASE | 1 << FEATURE_ARCH |
					 1 << FEATURE_NRCPUS | 1 << FEATURE_CPUDESC | 1 << FEATURE_CPUID |
					 1 << FEATURE_TOTAL_MEM | 1 << FEATURE_CPU_TOPOLOGY |
					 1 << FEATURE_NUMA_TOPOLOGY | 1 << FEATURE_PMU_MAPPINGS |
					 1 << FEATURE_EVENT_DESC;
	static const char *const texts[] = {"here", "7.3.4", "Some CPU @ 2GHz", "GenuineIntel,6,142,10",
					    "intel_pt"};
	const struct perf_event_attr attr = {.type = 1};
	const struct feature_event event = {.attr = &attr, .name = "dummy"};
	_cleanup_buf_ struct buf file = {0};
	const struct perfdata_sink sink = {store, &file};
	_cleanup_(cleanup__perfdata) struct perfdata *pd = NULL;
	uint64_t size;
	size_t i;

	if (!CHECK_EQ(perfdata__new(&sink, &event, 1, &pd), 0))
		return;
	CHECK_EQ(host_info__set_features(info, root, pd), 0);
	CHECK_EQ(perfdata__finish(pd, &size), 0);
	CHECK_EQ(u64_at(&file, 72), expected);
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		CHECK(memmem(file.data, file.len, texts[i], strlen(texts[i]) + 1));
}

static void test_sections(const struct root_dir *root)
{
	struct host_info info = {0};

	check_sections(&info, root->path);
	check_sections(&info, "/nowhere"); /* it was read before */
	host_info__release(&info);
}

static void test_topology(const struct root_dir *root)
{
	_cleanup_buf_ struct buf b = {0};
	const size_t string = 4 + 64;

	CHECK_EQ(host_topology__nr_cpus(root->path, "present"), 4);
	CHECK_EQ(host_topology__nr_cpus(root->path, "absent"), -1);
	CHECK(root_dir__put(root, "/sys/devices/system/cpu/wrong", "0-2147483647\n"));
	CHECK_EQ(host_topology__nr_cpus(root->path, "wrong"), -1);
	CHECK(root_dir__put(root, "/sys/devices/system/cpu/wrong", "0-x\n"));
	CHECK_EQ(host_topology__nr_cpus(root->path, "wrong"), -1);
	host_topology__add_cpus(root->path, &b);
	/* one package, two cores, four pairs of ids, one die, four ids */
	CHECK_EQ(b.len, 4 + string + 4 + 2 * string + 4 * 8 + 4 + string + 4 * 4);
	CHECK_STREQ((char *)b.data + 8, "0-1,3");
	CHECK_EQ(u64_at(&b, 8 + 3 * string + 2 * 8), 0xffffffffffffffff); /* CPU 2 is offline */
	CHECK_EQ(u64_at(&b, 8 + 3 * string + 3 * 8), 1);
	buf__truncate(&b, 0);
	host_topology__add_nodes(root->path, &b);
	CHECK_EQ(b.len, 4 + 20 + string);
	CHECK_EQ(u64_at(&b, 8), 2014616);
	CHECK_EQ(u64_at(&b, 16), 777);
}

static void test_nothing_there(void)
{
	_cleanup_buf_ struct buf b = {0};

	host_topology__add_cpus("/nowhere", &b);
	host_topology__add_nodes("/nowhere", &b);
	CHECK_EQ(b.len, 0);
	CHECK_EQ(buf__error(&b), 0);
}

static void test_trace_source(const struct root_dir *root)
{
	struct trace_source_dir dir = {0};
	struct trace_source source = trace_source__of(&dir, root->path, "intel_pt");

	CHECK_EQ(source.format_bits(source.ctx, "tsc"), 0x400);
	CHECK_EQ(source.format_bits(source.ctx, "mtc_period"), 0x3c000);
	CHECK_EQ(source.format_bits(source.ctx, "ptw"), 0);
	CHECK_EQ(source.value(source.ctx, "max_nonturbo_ratio"), 24);
	CHECK_EQ(source.value(source.ctx, "caps/event_trace"), 1);
	CHECK_EQ(source.value(source.ctx, "caps/nothing"), 0);
	CHECK_EQ(source.value(source.ctx, "tsc"), 0);
	source = trace_source__of(&dir, "/nowhere", "intel_pt");
	CHECK_EQ(source.format_bits(source.ctx, "tsc"), 0x400);
	CHECK_EQ(source.value(source.ctx, "tsc"), 0);
	trace_source_dir__release(&dir);
}

static void test_trace_source_of_cpus(const struct root_dir *root)
{
	struct trace_source_dir dir = {0};
	struct trace_source source = trace_source__of(&dir, root->path, "cs_etm");

	CHECK_EQ(source.cpu_value(source.ctx, 0, "trcidr/trcidr0"), 0x28000ea1);
	CHECK_EQ(source.cpu_value(source.ctx, 1, "trcidr/trcidr0"), 0x28000ea2);
	CHECK_EQ(source.cpu_value(source.ctx, 2, "trcidr/trcidr0"), 0);
	CHECK_EQ(source.cpu_value(source.ctx, 0, "ts_source"), 0);
	source = trace_source__of(&dir, "/nowhere", "cs_etm");
	CHECK_EQ(source.cpu_value(source.ctx, 1, "trcidr/trcidr0"), 0x28000ea2);
	trace_source_dir__release(&dir);
}

int main(void)
{
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	put_machine(&root);
	test_sections(&root);
	test_topology(&root);
	test_nothing_there();
	test_trace_source(&root);
	test_trace_source_of_cpus(&root);
	root_dir__remove(&root);
	return check__done();
}
