// SPDX-License-Identifier: GPL-2.0-only
#include "session/capture_summary.h"

#include "base/log.h"
#include "summary/counters.h"
#include "summary/losses.h"

void capture_summary__log(const struct capture_opts *opts, const struct gate *gate,
			  const struct capture_file *file, const struct cpu_traces *traces, bool listed,
			  uint64_t aux_bytes)
{
	char windows[192], gaps[64];

	counters__describe(gate, traces->cpus, traces->nr, windows, sizeof(windows));
	counters__log(gate, traces->cpus, traces->nr, listed);
	log_info("%s, %llu bytes of %s trace (%s)%s, written to %s", windows, (unsigned long long)aux_bytes,
		 opts->event->pmu.ops->name, trace_event__modes(opts->event),
		 losses__gaps(capture_file__gaps(file), gaps, sizeof(gaps)), opts->output);
	if (capture_file__programs(file))
		log_info("%s are in %s/debug: perf --buildid-dir %s/debug script -i %s",
			 opts->archive ? "its programs and libraries" : "programs of its containers",
			 opts->output, opts->output, opts->output);
}
