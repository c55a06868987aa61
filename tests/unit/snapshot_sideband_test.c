// SPDX-License-Identifier: GPL-2.0-only
/* The limit of what is kept of a CPU, and that nothing goes while a snapshot is made of it. */
#include "check.h"
#include "perfdata/record.h"
#include "rings/snapshot_sideband.h"
#include "trace/cpu_trace.h"

#define RECORD 48
#define LIMIT (1u << 20)

/* Records of CPU 1, one each @step ns from @time on, so many bytes of them at least. Returns the time behind.
 */
static uint64_t add(struct snapshot_sideband *ss, uint64_t time, uint64_t step, size_t bytes)
{
	_cleanup_buf_ struct buf b = {0};

	for (; b.len < bytes; time += step) {
		size_t at = record__begin(&b, PERF_RECORD_SWITCH_CPU_WIDE, 0);

		buf__add_u64(&b, 0);
		buf__add_u64(&b, 0); /* tid */
		buf__add_u64(&b, time);
		buf__add_u64(&b, 0); /* CPU */
		buf__add_u64(&b, 0); /* identifier */
		record__end(&b, at, 0);
	}
	CHECK_EQ(snapshot_sideband__add(ss, 1, buf__span(&b), false), 0);
	if (snapshot_sideband__is_full(ss))
		CHECK_EQ(snapshot_sideband__limit(ss, UINT64_MAX), 0);
	return time;
}

static size_t copied(struct snapshot_sideband *ss, uint64_t from, uint64_t until)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = NULL;

	CHECK_EQ(snapshot_sideband__copy(ss, from, until, &log), 0);
	return log ? sideband_log__recent(log, 1).len : 0;
}

int main(void)
{
	_cleanup_(cleanup__snapshot_sideband) struct snapshot_sideband *ss = NULL;
	uint64_t end, since;

	if (!CHECK_EQ(snapshot_sideband__new(2, 4096, 1 << 20, (struct span){0}, &ss), 0))
		return check__done();
	end = add(ss, 10, 10, LIMIT - RECORD);
	CHECK_EQ(snapshot_sideband__pin(ss), 0);
	end = add(ss, end, 10, LIMIT);
	CHECK_EQ(copied(ss, 0, UINT64_MAX), (end - 10) / 10 * RECORD);
	CHECK_EQ(copied(ss, end - 100, end - 50), 6 * RECORD); /* and who ran before */
	end = add(ss, end, 10, RECORD);
	since = snapshot_sideband__pin(ss);
	CHECK_EQ(snapshot_sideband__forgotten(ss), since);
	CHECK(since > end - LIMIT / RECORD * 10 && since < end);
	CHECK_EQ(copied(ss, since, UINT64_MAX), ((end - since) / 10 + 1) * RECORD);
	CHECK_EQ(snapshot_sideband__forget(ss, end), 0);
	CHECK_EQ(snapshot_sideband__forgotten(ss), end);
	CHECK_EQ(copied(ss, 0, UINT64_MAX), RECORD);
	CHECK_EQ(snapshot_sideband__pin(ss), since); /* that was not for want of room */
	return check__done();
}
