// SPDX-License-Identifier: GPL-2.0-only
/* What is left of the records of the kernel's code: what there is, in order, and no more than twice of it. */
#include <linux/perf_event.h>
#include <string.h>

#include "check.h"
#include "perfdata/record.h"
#include "sideband/kernel_log.h"

#define MANY 20000
#define MAX_LEN (64 << 10)

static void add_ksymbol(struct buf *b, uint64_t addr, bool gone)
{
	size_t at = record__begin(b, PERF_RECORD_KSYMBOL, 0);

	buf__add_u64(b, addr);
	buf__add_u32(b, 64);
	buf__add_u32(b,
		     PERF_RECORD_KSYMBOL_TYPE_BPF | (gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER << 16 : 0u));
	buf__add(b, "bpf_prog_x", 11);
	record__end(b, at, 16);
}

static void add_program(struct buf *b, uint32_t id, bool gone)
{
	size_t at = record__begin(b, PERF_RECORD_BPF_EVENT, 0);

	buf__add_u32(b, gone ? PERF_BPF_EVENT_PROG_UNLOAD : PERF_BPF_EVENT_PROG_LOAD);
	buf__add_u32(b, id);
	buf__add_u64(b, 0);
	record__end(b, at, 16);
}

static void add_poke(struct buf *b, uint64_t addr, const char *old, const char *new)
{
	size_t at = record__begin(b, PERF_RECORD_TEXT_POKE, 0);

	buf__add_u64(b, addr);
	buf__add_u32(b, (uint32_t)(strlen(old) | strlen(new) << 16));
	buf__add(b, old, strlen(old));
	buf__add(b, new, strlen(new));
	record__end(b, at, 16);
}

/* The records move into the log. */
static void put(struct kernel_log *log, struct buf *b)
{
	CHECK_EQ(kernel_log__add(log, buf__span(b)), 0);
	buf__truncate(b, 0);
}

/* Programs that came and went, until nobody would keep all of that. */
static void put_many(struct kernel_log *log, uint32_t first)
{
	_cleanup_buf_ struct buf b = {0};

	for (uint32_t i = first; i < first + MANY; i++) {
		add_ksymbol(&b, 0x1000 + i % 50 * 64, false);
		add_program(&b, i, false);
		add_program(&b, i, true);
		add_ksymbol(&b, 0x1000 + i % 50 * 64, true);
		put(log, &b);
		if (kernel_log__is_due(log))
			CHECK_EQ(kernel_log__compact(log), 0);
		CHECK(log->records.cap <= MAX_LEN);
	}
}

static void check_holds(struct kernel_log *log, const struct buf *expected)
{
	CHECK_EQ(kernel_log__compact(log), 0);
	CHECK_EQ(log->records.len, expected->len);
	if (log->records.len == expected->len)
		CHECK(!memcmp(log->records.data, expected->data, expected->len));
}

static void test_what_lives_stays_in_order(void)
{
	_cleanup_(kernel_log__release) struct kernel_log log = {0};
	_cleanup_buf_ struct buf b = {0}, expected = {0};

	add_ksymbol(&expected, 0x500000, false);
	add_program(&expected, 7, false);
	buf__add_buf(&b, &expected);
	put(&log, &b);
	put_many(&log, 1000);
	add_ksymbol(&b, 0x400000, false);
	add_program(&b, 8, false);
	buf__add_buf(&expected, &b);
	put(&log, &b);
	put_many(&log, 1000 + MANY);
	check_holds(&log, &expected);
}

/* An address and an id are of the one that came last, whatever was lost in between. */
static void test_reused(void)
{
	_cleanup_(kernel_log__release) struct kernel_log log = {0};
	_cleanup_buf_ struct buf b = {0}, expected = {0};

	add_ksymbol(&b, 0x500000, false);
	add_program(&b, 7, false);
	add_ksymbol(&b, 0x500000, true);
	put(&log, &b);
	add_ksymbol(&expected, 0x500000, false);
	add_program(&expected, 7, false);
	buf__add_buf(&b, &expected);
	put(&log, &b);
	check_holds(&log, &expected);
}

/* The end of program 7 was lost, and the begin of 9; trampolines and pokes are in no list of programs. */
static void test_missed(void)
{
	_cleanup_buf_ struct buf known = {0}, living = {0}, told = {0}, missed = {0}, expected = {0};

	add_ksymbol(&known, 0x500000, false);
	add_program(&known, 7, false);
	add_ksymbol(&known, 0x400000, false);
	add_program(&known, 8, false);
	record__add_ksymbol(&known, 0x300000, 4096, "bpf_trampoline_1", 16);
	add_poke(&known, 0x100, "AAAAA", "BBBBB");
	add_program(&living, 8, false);
	add_ksymbol(&living, 0x400000, false);
	add_ksymbol(&living, 0x600000, false);
	add_program(&living, 9, false);
	/* 5 came, 6 went while they were read. */
	add_program(&known, 5, false);
	add_program(&living, 6, false);
	add_program(&told, 5, false);
	add_program(&told, 6, true);
	CHECK_EQ(kernel_log__find_missed(buf__span(&known), buf__span(&living), buf__span(&told), &missed),
		 0);
	add_ksymbol(&expected, 0x600000, false);
	add_program(&expected, 9, false);
	add_ksymbol(&expected, 0x500000, true);
	add_program(&expected, 7, true);
	CHECK_EQ(missed.len, expected.len);
	CHECK(missed.len == expected.len && !memcmp(missed.data, expected.data, expected.len));
}

static void test_pokes(void)
{
	_cleanup_(kernel_log__release) struct kernel_log log = {0};
	_cleanup_buf_ struct buf b = {0}, expected = {0};

	/* A jump that goes on and off; the last state is what it was, and still must be told: who knows. */
	add_poke(&b, 0x100, "AAAAA", "BBBBB");
	add_poke(&b, 0x100, "BBBBB", "AAAAA");
	/* A trampoline that came and went, and one that is there. */
	add_poke(&b, 0x200, "", "tramp");
	add_poke(&b, 0x200, "tramp", "");
	add_poke(&b, 0x300, "", "tramp");
	put(&log, &b);
	/* A breakpoint in the middle of what another changes: both, in their order. */
	add_poke(&b, 0x400, "CCCCC", "DDDDD");
	add_poke(&b, 0x400, "D", "i");
	put(&log, &b);
	add_poke(&expected, 0x100, "BBBBB", "AAAAA");
	add_poke(&expected, 0x300, "", "tramp");
	add_poke(&expected, 0x400, "CCCCC", "DDDDD");
	add_poke(&expected, 0x400, "D", "i");
	check_holds(&log, &expected);
}

/* One of a type that is not of code, and one that is too short to tell. */
static void test_others_stay(void)
{
	_cleanup_(kernel_log__release) struct kernel_log log = {0};
	_cleanup_buf_ struct buf b = {0}, expected = {0};

	for (int i = 0; i < 2; i++) {
		record__end(&expected, record__begin(&expected, PERF_RECORD_ITRACE_START, 0), 16);
		record__end(&expected, record__begin(&expected, PERF_RECORD_KSYMBOL, 0), 0);
	}
	buf__add_buf(&b, &expected);
	put(&log, &b);
	check_holds(&log, &expected);
}

int main(void)
{
	test_what_lives_stays_in_order();
	test_reused();
	test_missed();
	test_pokes();
	test_others_stay();
	return check__done();
}
