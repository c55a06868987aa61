// SPDX-License-Identifier: GPL-2.0-only
/* Which samples of a CPU are in a snapshot, by their age; where the time of the reading is not known, all are. */
#include "check.h"
#include "perfdata/record.h"
#include "snapshot/snapshot_samples.h"

#define ID 7

static struct sample_event event;
static const struct sample_set set = {.events = &event, .nr = 1};

static void add_sample(struct buf *b, uint64_t time)
{
	size_t at = record__begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	buf__add_u64(b, ID);
	buf__add_u64(b, 0x1000);
	buf__add_u64(b, 1); /* no process of ours has this number */
	buf__add_u64(b, time);
	buf__add_u64(b, 0);
	record__end(b, at, 0);
}

/* How many of the samples of the times 1000, 2000 and 3000 are left. */
static uint64_t left(uint64_t read, uint64_t late, uint64_t lookback)
{
	static const uint64_t ids[] = {ID};
	_cleanup_buf_ struct buf ring = {0}, samples = {0};
	struct snapshot_cpu cpu = {.ids = {.samples = ids}, .late = late};
	struct snapshot_gap gap = {.read = read};
	struct snapshot_job job = {
		.snapshot = {.cpus = &cpu, .nr = 1, .nr_all = 1},
		.gaps = &gap,
		.samples = &samples,
	};

	for (uint64_t time = 3000; time; time -= 1000)
		add_sample(&ring, time);
	cpu.samples = buf__span(&ring);
	CHECK_EQ(snapshot_samples__sort(&job, &set, lookback), 0);
	return gap.nr_samples;
}

int main(void)
{
	CHECK_EQ(left(4000, 0, 0), 3);
	CHECK_EQ(left(4000, 0, 2000), 2);
	CHECK_EQ(left(4000, 1000, 2000), 3); /* the CPU was frozen at 3000 */
	CHECK_EQ(left(4000, 1000, 1000), 2);
	CHECK_EQ(left(4000, 0, 5000), 3);
	CHECK_EQ(left(0, 1000, 2000), 3);
	return check__done();
}
