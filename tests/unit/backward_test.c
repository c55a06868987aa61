// SPDX-License-Identifier: GPL-2.0-only
/* Rings that were written backward: what is whole, new and not too old comes out, oldest first. */
#include "check.h"
#include "perfdata/backward.h"
#include "perfdata/record.h"

#define SAMPLE_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define SAMPLE_SIZE (8 + 5 * 8)
#define LOST_SIZE (8 + 2 * 8 + 4 * 8)

static void add_sample(struct buf *b, uint64_t id, uint64_t time)
{
	size_t at = record__begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	buf__add_u64(b, id);
	buf__add_u64(b, 0x1000);
	buf__add_u64(b, 1);
	buf__add_u64(b, time);
	buf__add_u64(b, 0);
	record__end(b, at, 0);
}

static void add_lost(struct buf *b, uint64_t nr, uint64_t time)
{
	size_t at = record__begin(b, PERF_RECORD_LOST, 0);

	buf__add_u64(b, 7);
	buf__add_u64(b, nr);
	buf__add_u64(b, 1);
	buf__add_u64(b, time);
	buf__add_u64(b, 0);
	buf__add_u64(b, 7);
	record__end(b, at, 0);
}

static uint64_t time_at(const struct buf *b, size_t pos)
{
	const struct perf_event_header *record = record__next(buf__span(b), &pos);

	return CHECK(record) ? record__time(record, SAMPLE_TYPE) : 0;
}

static void test_newer(void)
{
	_cleanup_buf_ struct buf b = {0};

	add_sample(&b, 7, 30);
	add_sample(&b, 7, 20);
	add_sample(&b, 7, 10);
	CHECK_EQ(backward__newer(buf__span(&b), SAMPLE_TYPE, 5), b.len);
	CHECK_EQ(backward__newer(buf__span(&b), SAMPLE_TYPE, 10), 2 * SAMPLE_SIZE);
	CHECK_EQ(backward__newer(buf__span(&b), SAMPLE_TYPE, 29), SAMPLE_SIZE);
	CHECK_EQ(backward__newer(buf__span(&b), SAMPLE_TYPE, 30), 0);
	CHECK_EQ(backward__newer((struct span){0}, SAMPLE_TYPE, 0), 0);
}

static void test_reverse(void)
{
	_cleanup_buf_ struct buf b = {0}, to = {0};
	struct backward_stats stats;

	add_lost(&b, 5, 30);
	add_sample(&b, 7, 30);
	add_sample(&b, 7, 20);
	add_sample(&b, 7, 10);
	buf__add_u64(&to, 1);
	CHECK_EQ(backward__reverse(buf__span(&b), SAMPLE_TYPE, 0, NULL, &to, &stats), b.len);
	CHECK_EQ(to.len, 8 + b.len);
	CHECK_EQ(time_at(&to, 8), 10);
	CHECK_EQ(time_at(&to, 8 + SAMPLE_SIZE), 20);
	CHECK_EQ(time_at(&to, 8 + 2 * SAMPLE_SIZE), 30);
	CHECK_EQ(stats.nr_samples, 3);
	CHECK_EQ(stats.lost, 5);
	CHECK_EQ(stats.first, 10);
	/* What is too old stays out. */
	buf__truncate(&to, 0);
	CHECK_EQ(backward__reverse(buf__span(&b), SAMPLE_TYPE, 20, NULL, &to, &stats),
		 LOST_SIZE + 2 * SAMPLE_SIZE);
	CHECK_EQ(time_at(&to, 0), 20);
	CHECK_EQ(stats.nr_samples, 2);
	CHECK_EQ(stats.first, 20);
}

/* Not those of the id 7 from before the time 30. */
static bool takes(const void *ctx, uint32_t pid, uint64_t id, uint64_t time)
{
	CHECK_EQ(pid, 1);
	return id != 7 || time >= *(const uint64_t *)ctx;
}

static void test_filter(void)
{
	const uint64_t from = 30;
	const struct backward_filter filter = {takes, &from};
	_cleanup_buf_ struct buf b = {0}, to = {0};
	struct backward_stats stats;

	add_sample(&b, 7, 40);
	add_sample(&b, 7, 20);
	add_lost(&b, 5, 15);
	add_sample(&b, 8, 12);
	add_sample(&b, 7, 10);
	CHECK_EQ(backward__reverse(buf__span(&b), SAMPLE_TYPE, 11, &filter, &to, &stats),
		 LOST_SIZE + 2 * SAMPLE_SIZE);
	CHECK_EQ(to.len, LOST_SIZE + 2 * SAMPLE_SIZE);
	CHECK_EQ(time_at(&to, 0), 12);
	CHECK_EQ(time_at(&to, SAMPLE_SIZE), 15);
	CHECK_EQ(time_at(&to, SAMPLE_SIZE + LOST_SIZE), 40);
	CHECK_EQ(stats.nr_samples, 2);
	CHECK_EQ(stats.lost, 5);
	CHECK_EQ(stats.first, 12);
	CHECK_EQ(stats.seen, LOST_SIZE + 3 * SAMPLE_SIZE);
}

/* The oldest is overwritten in part, at any byte. */
static void test_cut(void)
{
	_cleanup_buf_ struct buf b = {0}, to = {0};
	struct backward_stats stats;

	add_sample(&b, 7, 30);
	add_sample(&b, 7, 20);
	for (size_t len = 0; len < b.len; len++) {
		const struct span part = {b.data, len};
		size_t whole = len < SAMPLE_SIZE ? 0 : SAMPLE_SIZE;

		buf__truncate(&to, 0);
		CHECK_EQ(backward__reverse(part, SAMPLE_TYPE, 0, NULL, &to, &stats), whole);
		CHECK_EQ(to.len, whole);
		CHECK_EQ(stats.nr_samples, whole ? 1 : 0);
		CHECK_EQ(stats.first, whole ? 30 : 0);
		CHECK_EQ(backward__newer(part, SAMPLE_TYPE, 0), whole);
	}
}

int main(void)
{
	test_newer();
	test_reverse();
	test_filter();
	test_cut();
	return check__done();
}
