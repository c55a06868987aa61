// SPDX-License-Identifier: GPL-2.0-only
/* What AUX and LOST records say of a CPU's trace. */
#include <linux/perf_event.h>

#include "check.h"
#include "perfdata/aux_account.h"
#include "perfdata/record.h"

#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/* The trailer: pid and tid, time, cpu, id. */
static void add_trailer(struct buf *b, size_t at, uint64_t time)
{
	buf__add_u64(b, 0);
	buf__add_u64(b, time);
	buf__add_u64(b, 0);
	buf__add_u64(b, 0);
	record__end(b, at, 0);
}

static void add_aux(struct buf *b, uint64_t offset, uint64_t size, uint64_t flags, uint64_t time)
{
	size_t at = record__begin(b, PERF_RECORD_AUX, 0);

	buf__add_u64(b, offset);
	buf__add_u64(b, size);
	buf__add_u64(b, flags);
	add_trailer(b, at, time);
}

static void add_lost(struct buf *b, uint64_t lost)
{
	size_t at = record__begin(b, PERF_RECORD_LOST, 0);

	buf__add_u64(b, 7);
	buf__add_u64(b, lost);
	add_trailer(b, at, 5);
}

static void test_whole(void)
{
	_cleanup_buf_ struct buf b = {0};
	struct aux_account a = {0};

	add_aux(&b, 0, 4096, 0, 10);
	record__add_comm(&b, 1, 1, "init", record__trailer_len(SAMPLE_TYPE));
	add_aux(&b, 4096, 100, 0, 20);
	aux_account__add(&a, buf__span(&b), SAMPLE_TYPE);
	CHECK_EQ(a.end, 4196);
	CHECK_EQ(a.time, 20);
	CHECK_EQ(a.untold, 0);
	CHECK_EQ(a.truncated + a.partial + a.collision + a.overwrite + a.lost, 0);
}

static void test_losses(void)
{
	_cleanup_buf_ struct buf b = {0};
	struct aux_account a = {0};

	add_aux(&b, 0, 4096, PERF_AUX_FLAG_TRUNCATED, 10);
	add_aux(&b, 4096, 0, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL, 11);
	add_lost(&b, 3);
	aux_account__add(&a, buf__span(&b), SAMPLE_TYPE);
	buf__truncate(&b, 0);
	/* Of the bytes between no record tells: it was one of the three. */
	add_aux(&b, 8192, 8, PERF_AUX_FLAG_COLLISION, 30);
	add_aux(&b, 8200, 8, PERF_AUX_FLAG_OVERWRITE, 31);
	add_lost(&b, 4);
	aux_account__add(&a, buf__span(&b), SAMPLE_TYPE);
	CHECK_EQ(a.truncated, 2);
	CHECK_EQ(a.partial, 1);
	CHECK_EQ(a.collision, 1);
	CHECK_EQ(a.overwrite, 1);
	CHECK_EQ(a.lost, 7);
	CHECK_EQ(a.untold, 4096);
	CHECK_EQ(a.end, 8208);
	CHECK_EQ(a.time, 31);
}

/* A record of a full buffer ends where trace is missing, whether more follows or not. */
static void test_gaps(void)
{
	_cleanup_buf_ struct buf b = {0}, ends = {0};
	static const uint64_t expect[] = {4096, 12288, 12288};

	add_aux(&b, 0, 4096, PERF_AUX_FLAG_TRUNCATED, 10);
	add_aux(&b, 4096, 4096, PERF_AUX_FLAG_PARTIAL, 11);
	add_lost(&b, 3);
	aux_account__gaps(buf__span(&b), &ends);
	buf__truncate(&b, 0);
	add_aux(&b, 8192, 4096, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL, 12);
	add_aux(&b, 12288, 0, PERF_AUX_FLAG_TRUNCATED, 12);
	aux_account__gaps(buf__span(&b), &ends);
	CHECK_EQ(ends.len, sizeof(expect));
	CHECK(ends.len == sizeof(expect) && !memcmp(ends.data, expect, sizeof(expect)));
}

/* What is no such record, because it is too short, tells nothing. */
static void test_short(void)
{
	_cleanup_buf_ struct buf b = {0}, ends = {0};
	struct aux_account a = {0};
	size_t at = record__begin(&b, PERF_RECORD_AUX, 0);

	buf__add_u64(&b, 1000);
	record__end(&b, at, 0);
	at = record__begin(&b, PERF_RECORD_LOST, 0);
	record__end(&b, at, 0);
	aux_account__add(&a, buf__span(&b), SAMPLE_TYPE);
	aux_account__gaps(buf__span(&b), &ends);
	CHECK_EQ(a.end, 0);
	CHECK_EQ(a.lost, 0);
	CHECK_EQ(ends.len, 0);
}

int main(void)
{
	test_whole();
	test_losses();
	test_gaps();
	test_short();
	return check__done();
}
