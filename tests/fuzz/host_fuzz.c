// SPDX-License-Identifier: GPL-2.0-only
/* What /proc and /sys tell of the machine. */
#include "capture/records/host_info.h"
#include "fuzz_root.h"

static int write_nothing(void *ctx, uint64_t offset, struct span span)
{
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = {
		"/sys/devices/system/cpu/present",
		"/sys/devices/system/cpu/online",
		"/proc/cpuinfo",
		"/proc/meminfo",
		"/proc/sys/kernel/osrelease",
		"/sys/devices/system/cpu/cpu0/topology/core_id",
		"/sys/devices/system/cpu/cpu0/topology/package_cpus_list",
		"/sys/devices/system/cpu/cpu0/topology/core_cpus_list",
		"/sys/devices/system/node/has_memory",
		"/sys/devices/system/node/node0/meminfo",
		"/sys/devices/system/node/node0/cpulist",
		"/sys/bus/event_source/devices/cpu/type",
		"/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
	};
	const struct perf_event_attr attr = {.size = sizeof(attr)};
	const struct feature_event event = {.attr = &attr, .name = "event"};
	struct fuzz_input in = {data, size};
	struct host_info info = {0};
	struct perfdata *pd;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fuzz_root__put(files[i], &in);
	if (perfdata__new(&(struct perfdata_sink){write_nothing, NULL}, &event, 1, &pd))
		abort();
	FUZZ_CHECK(!host_info__set_features(&info, fuzz_root__path(), pd));
	host_info__release(&info);
	perfdata__free(pd);
	return 0;
}
