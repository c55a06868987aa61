// SPDX-License-Identifier: GPL-2.0-only
#include "session/snapshot_samples.h"

#include "pure/backward.h"

static int sort(struct snapshot_cpu *cpu, struct snapshot_gap *gap, uint64_t since, struct buf *to)
{
	struct backward_stats stats;

	backward__reverse(cpu->samples, CPU_TRACE_SAMPLE_TYPE, since, to, &stats);
	if (buf__error(to))
		return buf__error(to);
	cpu->samples = buf__span(to);
	gap->nr_samples = stats.nr_samples;
	gap->lost = stats.lost;
	gap->end = cpu->offset;
	gap->begin = cpu->offset - cpu->samples.len;
	gap->covered = stats.first && stats.first < gap->read ? gap->read - stats.first : 0;
	return 0;
}

int snapshot_samples__sort(struct snapshot_job *job, uint64_t lookback)
{
	int err = 0;

	for (size_t i = 0; !err && i < job->snapshot.nr; i++) {
		uint64_t read = job->gaps[i].read;

		err = sort(&job->snapshot.cpus[i], &job->gaps[i],
			   lookback && lookback < read ? read - lookback : 0, &job->samples[i]);
	}
	return err;
}
