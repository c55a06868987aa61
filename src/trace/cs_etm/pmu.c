// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU of Arm CoreSight. Its driver is drivers/hwtracing/coresight/coresight-etm-perf.c, the defaults are
 * those of tools/perf/arch/arm/util/cs-etm.c for events that count a CPU.
 */
#include "trace/trace_pmu.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "base/path.h"
#include "trace/cs_etm/frames.h"
#include "trace/cs_etm/sync.h"
#include "trace/pmu_list.h"

#define CS_ETM "/sys/bus/event_source/devices/cs_etm"

static int default_config(const struct trace_pmu *pmu, struct pmu_config *config)
{
	/* contextid stands for the one of two registers that has the task's number. */
	static const char *const wanted[] = {"timestamp", "contextid"};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(wanted); i++)
		if (path__exists(pmu->root, CS_ETM "/format/%s", wanted[i]))
			err = pmu_terms__parse(pmu->root, "cs_etm", wanted[i], config);
	return err;
}

/* Tells whether the sink is a TRBE: only these have the file
 * (Documentation/ABI/testing/sysfs-bus-coresight-devices-trbe). */
static bool is_of_one_cpu(const char *root, const char *sink)
{
	return path__exists(root, "/sys/bus/coresight/devices/%s/align", sink);
}

/* If there is no path from the CPU to the sink, the driver also says that there is no memory. */
#define BUFFER_ADVICE "try a smaller --aux-size, or a sink that this CPU's trace can go to"

/*
 * Tells whether the times of the trace are the kernel's. Where the CPU lets it choose (FEAT_TRF), the driver
 * has the unit take the time from the kernel's own counter and tells so
 * (drivers/hwtracing/coresight/coresight-etm4x-sysfs.c, ts_source_show()); anywhere else nobody knows the
 * counter. Kernels before 6.4 do not tell; a CPU with an ETE has FEAT_TRF (ARM DDI 0487).
 */
static bool has_kernel_clock(const char *root, int cpu)
{
	uint64_t value;
	char text[16];

	if (path__read(root, text, sizeof(text), CS_ETM "/cpu%d/ts_source", cpu) > 0)
		return !strcmp(text, "1");
	return !path__read_u64(root, &value, CS_ETM "/cpu%d/mgmt/trcdevarch", cpu) &&
	       (value & ETM_DEVARCH_MASK) == ETM_DEVARCH_ETE;
}

/*
 * The sinks that CPUs share: ETR, ETF, ETB. Neither an AUX pause nor a stop hands anything over while another
 * CPU's event is on; the event that is stopped last gets all (coresight-tmc-etr.c, tmc_update_etr_buffer():
 * refcnt).
 */
static const struct trace_pmu_ops shared_ops = {
	.name = "cs_etm",
	.info = &cs_etm_info,
	.default_config = default_config,
	.buffer_advice = BUFFER_ADVICE,
	.aux_head = AUX_HEAD_COUNT,
	.shared_buffer = true,
	.next_sync = etm_frames__next,
	.has_kernel_clock = has_kernel_clock,
	.tail = &etm_frames__tail,
};

/*
 * Chooses between the two. If the event names no sink, the driver takes the TRBE of the CPU, and a sink that
 * CPUs share only if there is none (coresight_find_default_sink()).
 */
static const struct trace_pmu_ops *of_event(const struct trace_event *event)
{
	const char *root = event->pmu.root;
	const uint64_t wanted = trace_event__term(event, "sinkid");
	_cleanup_(pmu_files__release) struct pmu_files sinks = {0};
	uint64_t id;

	/* Without memory no sink is found. */
	(void)!pmu_list__files(root, "cs_etm", "sinks", &sinks);
	for (size_t i = 0; i < sinks.nr; i++)
		if (is_of_one_cpu(root, sinks.items[i].name) &&
		    (!wanted || (!parse__u64(sinks.items[i].value, &id) && id == wanted)))
			return event->pmu.ops;
	return &shared_ops;
}

const struct trace_pmu_ops cs_etm_ops = {
	.name = "cs_etm",
	.info = &cs_etm_info,
	.default_config = default_config,
	.of_event = of_event,
	.buffer_advice = BUFFER_ADVICE,
	.aux_head = AUX_HEAD_COUNT,
	.next_sync = etm_sync__next,
	.has_kernel_clock = has_kernel_clock,
	.tail = &etm_sync__tail,
};
