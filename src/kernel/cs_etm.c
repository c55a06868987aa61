// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arm CoreSight: the driver is drivers/hwtracing/coresight/coresight-etm-perf.c, the defaults are those of
 * tools/perf/arch/arm/util/cs-etm.c for events that count a CPU.
 */
#include "kernel/trace_pmu.h"

#include <errno.h>

#include "base/path.h"
#include "pure/etm_sync.h"

#define CS_ETM "/sys/bus/event_source/devices/cs_etm"

static int default_config(const struct trace_pmu *pmu, struct pmu_config *config)
{
	/* Which of the two registers has the task's number, contextid knows. */
	static const char *const wanted[] = {"timestamp", "contextid"};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(wanted); i++)
		if (path__exists(pmu->root, CS_ETM "/format/%s", wanted[i]))
			err = pmu_terms__parse(pmu->root, "cs_etm", wanted[i], config);
	return err;
}

const struct trace_pmu_ops cs_etm_ops = {
	.name = "cs_etm",
	.default_config = default_config,
	/* Without a path from the CPU to the sink the driver says that there is no memory. */
	.buffer_advice = "try a smaller --aux-size, or a sink that this CPU's trace can go to",
	.aux_head = AUX_HEAD_COUNT,
	.next_sync = etm_sync__next,
};
