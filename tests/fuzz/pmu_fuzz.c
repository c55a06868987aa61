// SPDX-License-Identifier: GPL-2.0-only
/* A trace PMU in sysfs, and an event of it as a user writes it. */
#include "fuzz_root.h"
#include "trace/pmu_list.h"
#include "trace/trace_pmu.h"
#include "trace/trace_source.h"

#define PT "/sys/bus/event_source/devices/intel_pt/"
#define ETM "/sys/bus/event_source/devices/cs_etm/"

static void parse(const char *spec)
{
	struct trace_event event;
	struct trace_source_dir dir = {0};
	struct trace_source source;

	if (trace_event__parse(fuzz_root__path(), spec, &event))
		return;
	trace_event__term(&event, "psb_period");
	trace_event__default_to_kernel(&event);
	FUZZ_CHECK(strlen(event.name) < sizeof(event.name));
	(void)!trace_event__put_in_samples(&event, spec);
	trace_pmu__has_kernel_clock(&event.pmu, 0);
	source = trace_source__of(&dir, fuzz_root__path(), event.pmu.ops->name);
	source.format_bits(source.ctx, "tsc");
	source.value(source.ctx, "caps/psb_cyc");
	source.cpu_value(source.ctx, 0, "trcidr/trcidr0");
	trace_source_dir__release(&dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = {
		PT "type",	   PT "format/tsc",	   PT "format/psb_period",
		PT "caps/psb_cyc", PT "caps/psb_periods",  PT "events/default",
		ETM "type",	   ETM "format/timestamp", ETM "format/sinkid",
		ETM "sinks/trbe0", ETM "events/autofdo",   ETM "cpu0/trcidr/trcidr0",
	};
	struct fuzz_input in = {data, size};
	_cleanup_free_ char *spec = fuzz__text(&in);
	struct pmu_files list;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fuzz_root__put(files[i], &in);
	parse(spec);
	parse(NULL);
	(void)!pmu_list__pmus(fuzz_root__path(), &list);
	pmu_files__release(&list);
	(void)!pmu_list__files(fuzz_root__path(), "intel_pt", "format", &list);
	pmu_files__release(&list);
	return 0;
}
