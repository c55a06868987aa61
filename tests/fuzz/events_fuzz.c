// SPDX-License-Identifier: GPL-2.0-only
/* Events that are sampled, as a user writes them, with what tracefs and sysfs have of them. */
#include "fuzz_root.h"
#include "trace/sample_set.h"

#define TRACING "/sys/kernel/tracing/events/sched/sched_switch/"
#define CPU "/sys/bus/event_source/devices/cpu/"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = {
		TRACING "id",	    TRACING "format",  CPU "type",
		CPU "format/event", CPU "events/busy", "/proc/sys/kernel/perf_event_max_sample_rate",
	};
	const struct sample_opts opts = {.callers = true};
	struct fuzz_input in = {data, size};
	_cleanup_free_ char *spec = fuzz__text(&in);
	struct sample_set set = {0};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fuzz_root__put(files[i], &in);
	if (!sample_set__add(&set, fuzz_root__path(), spec) &&
	    !sample_set__complete(&set, fuzz_root__path(), &opts))
		for (size_t i = 0; i < set.nr; i++)
			FUZZ_CHECK(set.events[i].nr_members < set.nr);
	sample_set__release(&set);
	return 0;
}
