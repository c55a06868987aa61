// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of old records: state, kept, or nothing; and that recent ones stay as they came. */
#include <errno.h>
#include <malloc.h>

#include "check.h"
#include "perfdata/record.h"
#include "sideband/sideband_log.h"

#define SAMPLE_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/* Who runs when the kernel tells of something. */
#define TASK 7

/* A record of the kernel with @mark as its first field: tid, time, cpu, identifier follow. */
static void finish(struct buf *b, size_t at, uint64_t time)
{
	record__end(b, at, 0);
	buf__add_u32(b, TASK);
	buf__add_u32(b, TASK);
	buf__add_u64(b, time);
	buf__add(b, NULL, 16);
	((struct perf_event_header *)(void *)(b->data + at))->size += 32;
}

static void add(struct buf *b, uint32_t type, uint64_t time, uint64_t mark)
{
	size_t at = record__begin(b, type, 0);

	buf__add_u64(b, mark);
	finish(b, at, time);
}

static void add_task(struct buf *b, uint32_t type, uint64_t time, uint32_t pid, uint32_t ppid)
{
	size_t at = record__begin(b, type, 0);

	buf__add_u32(b, pid);
	buf__add_u32(b, ppid);
	buf__add_u32(b, pid);
	buf__add_u32(b, ppid);
	buf__add_u64(b, time);
	finish(b, at, time);
}

static struct sideband_log *begin(unsigned int nr_rings)
{
	struct sideband_log *log;

	if (sideband_log__new(nr_rings, SAMPLE_TYPE, 1 << 20, &log))
		exit(1);
	return log;
}

/* The records move into the log. */
static void put(struct sideband_log *log, unsigned int ring, struct buf *b)
{
	CHECK_EQ(sideband_log__add(log, ring, buf__span(b)), 0);
	buf__truncate(b, 0);
}

/* The marks of all records, as decimal digits. */
static uint64_t marks_of(struct span records)
{
	const struct perf_event_header *record;
	uint64_t all = 0, mark;
	size_t pos = 0;

	while ((record = record__next(records, &pos))) {
		memcpy(&mark, record + 1, sizeof(mark));
		all = all * 10 + mark;
	}
	CHECK_EQ(pos, records.len);
	return all;
}

/* The pids of the state's processes, as pairs of decimal digits. */
static uint64_t pids_of(const struct sideband_log *log)
{
	_cleanup_buf_ struct buf b = {0};
	const struct perf_event_header *record;
	struct record_task task;
	uint64_t all = 0;
	size_t pos = 0;

	sideband_log__add_state(log, &b, 32);
	while ((record = record__next(buf__span(&b), &pos)))
		if (record__task(record, &task))
			all = all * 100 + task.pid;
	return all;
}

static void test_tasks_in_order_of_time(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(3);
	_cleanup_buf_ struct buf b = {0};

	record__add_fork(&b, 10, 10, 1, 32);
	CHECK_EQ(sideband_log__seed(log, buf__span(&b)), 0);
	CHECK_EQ(pids_of(log), 10);
	buf__truncate(&b, 0);
	/* 11 begins on one CPU, ends on another, and its number is used again on the third. */
	add_task(&b, PERF_RECORD_FORK, 100, 11, 10);
	add_task(&b, PERF_RECORD_FORK, 500, 12, 10);
	put(log, 2, &b);
	add_task(&b, PERF_RECORD_EXIT, 200, 11, 10);
	add(&b, PERF_RECORD_SWITCH, 200, 1);
	put(log, 0, &b);
	add_task(&b, PERF_RECORD_FORK, 300, 11, 10);
	put(log, 1, &b);
	CHECK_EQ(sideband_log__fold(log, 100), 0);
	CHECK_EQ(pids_of(log), 10);
	CHECK_EQ(sideband_log__fold(log, 101), 0);
	CHECK_EQ(pids_of(log), 1011);
	CHECK_EQ(sideband_log__recent(log, 2).len, 64);
	CHECK_EQ(sideband_log__fold(log, 201), 0);
	CHECK_EQ(pids_of(log), 10);
	CHECK_EQ(sideband_log__fold(log, 1000), 0);
	CHECK_EQ(pids_of(log), 101112);
	CHECK_EQ(sideband_log__recent(log, 2).len, 0);
}

static void test_all_at_once(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(2);
	_cleanup_buf_ struct buf b = {0};

	add_task(&b, PERF_RECORD_EXIT, 20, 11, 1);
	add(&b, PERF_RECORD_SWITCH, 25, 1);
	put(log, 0, &b);
	add_task(&b, PERF_RECORD_FORK, 10, 11, 1);
	add_task(&b, PERF_RECORD_FORK, 30, 12, 1);
	put(log, 1, &b);
	CHECK_EQ(sideband_log__fold(log, 1000), 0);
	CHECK_EQ(pids_of(log), 12);
}

static void test_kernel_is_kept(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(2);
	const struct record_mmap map = {.misc = PERF_RECORD_MISC_KERNEL, .pid = 5, .name = "[m]"};
	_cleanup_buf_ struct buf b = {0};
	size_t before;

	add(&b, PERF_RECORD_ITRACE_START, 10, 1);
	add(&b, PERF_RECORD_AUX, 20, 9);
	add(&b, PERF_RECORD_TEXT_POKE, 40, 4);
	put(log, 0, &b);
	add(&b, PERF_RECORD_AUX_OUTPUT_HW_ID, 15, 2);
	add(&b, PERF_RECORD_KSYMBOL, 30, 3);
	add(&b, PERF_RECORD_BPF_EVENT, 50, 5);
	add(&b, PERF_RECORD_KSYMBOL, 60, 6);
	put(log, 1, &b);
	CHECK_EQ(sideband_log__fold(log, 45), 0);
	CHECK_EQ(marks_of(sideband_log__kernel(log)), 1234);
	CHECK_EQ(marks_of(sideband_log__recent(log, 1)), 56);
	CHECK_EQ(sideband_log__fold(log, 55), 0);
	CHECK_EQ(sideband_log__fold(log, 55), 0); /* not twice */
	CHECK_EQ(marks_of(sideband_log__kernel(log)), 12345);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 0);
	/* A module's mapping is the kernel's, whatever pid it names. */
	before = sideband_log__kernel(log).len;
	record__add_mmap(&b, &map, 32);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__fold(log, 55), 0);
	CHECK_EQ(sideband_log__kernel(log).len, before + 40 + 8 + 32);
	CHECK_EQ(pids_of(log), 0);
}

static void test_last_switch_stays(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(1);
	_cleanup_buf_ struct buf b = {0};

	add(&b, PERF_RECORD_SWITCH_CPU_WIDE, 10, 1);
	add(&b, PERF_RECORD_AUX, 11, 2);
	add(&b, PERF_RECORD_SWITCH_CPU_WIDE, 20, 3);
	add(&b, PERF_RECORD_LOST, 21, 4);
	add(&b, PERF_RECORD_AUX, 30, 5);
	add(&b, PERF_RECORD_SWITCH_CPU_WIDE, 40, 6);
	add(&b, PERF_RECORD_THROTTLE, 50, 7);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__fold(log, 10), 0);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 1234567);
	CHECK_EQ(sideband_log__fold(log, 15), 0);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 134567);
	CHECK_EQ(sideband_log__fold(log, 30), 0);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 3567);
	CHECK_EQ(sideband_log__fold(log, 35), 0);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 367);
	CHECK_EQ(sideband_log__fold(log, 1000), 0);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 6);
	add(&b, PERF_RECORD_AUX, 2000, 8);
	put(log, 0, &b);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 68);
}

/* What ends runs on until somebody else does. */
static void test_exit(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(1);
	_cleanup_buf_ struct buf b = {0};

	add_task(&b, PERF_RECORD_FORK, 10, 11, 1);
	add(&b, PERF_RECORD_SWITCH_CPU_WIDE, 20, 1);
	add_task(&b, PERF_RECORD_EXIT, 30, 11, 1);
	add(&b, PERF_RECORD_AUX, 40, 2);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__fold(log, 100), 0);
	CHECK_EQ(pids_of(log), 11);
	CHECK_EQ(sideband_log__recent(log, 0).len, 48 + 64 + 48);
	add(&b, PERF_RECORD_SWITCH_CPU_WIDE, 110, 3);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__fold(log, 100), 0);
	CHECK_EQ(pids_of(log), 11);
	CHECK_EQ(sideband_log__fold(log, 111), 0);
	CHECK_EQ(pids_of(log), 0);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 3);
}

/* The last record came while this task ran. */
static void by(struct buf *b, uint32_t tid)
{
	const uint32_t ids[] = {tid, tid};

	memcpy(b->data + b->len - 32, ids, sizeof(ids));
}

/* Without switches, as regular events are recorded: another task's record tells that one has left. */
static void test_exit_without_switches(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(1);
	_cleanup_buf_ struct buf b = {0};

	add_task(&b, PERF_RECORD_FORK, 10, 11, 1);
	by(&b, 1);
	add_task(&b, PERF_RECORD_EXIT, 20, 11, 1);
	by(&b, 11);
	add(&b, PERF_RECORD_MMAP2, 30, 1);
	by(&b, UINT32_MAX);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__fold(log, 100), 0);
	CHECK_EQ(pids_of(log), 11);
	CHECK_EQ(sideband_log__recent(log, 0).len, 64 + 48);
	add(&b, PERF_RECORD_LOST, 40, 2);
	by(&b, 12);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__fold(log, 100), 0);
	CHECK_EQ(pids_of(log), 0);
	CHECK_EQ(sideband_log__recent(log, 0).len, 0);
}

/* Without trace, who ran is of no use but the last. */
static void test_idle(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(1);
	_cleanup_buf_ struct buf b = {0};

	add(&b, PERF_RECORD_SWITCH_CPU_WIDE, 10, 1);
	put(log, 0, &b);
	add(&b, PERF_RECORD_SWITCH_CPU_WIDE, 20, 2);
	add_task(&b, PERF_RECORD_FORK, 21, 11, 1);
	add(&b, PERF_RECORD_SWITCH, 30, 3);
	add(&b, PERF_RECORD_SWITCH_CPU_WIDE, 40, 4);
	add(&b, PERF_RECORD_KSYMBOL, 50, 5);
	CHECK_EQ(sideband_log__add_idle(log, 0, buf__span(&b)), 0);
	CHECK_EQ(sideband_log__fold(log, 1), 0);
	CHECK_EQ(sideband_log__recent(log, 0).len, 48 + 64 + 48 + 48);
	CHECK_EQ(sideband_log__fold(log, 45), 0);
	CHECK_EQ(pids_of(log), 11);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 45);
	buf__add_u64(&b, 0);
	CHECK_EQ(sideband_log__add_idle(log, 0, buf__span(&b)), -EBADMSG);
}

static void test_limit(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(2);
	_cleanup_buf_ struct buf b = {0};

	for (uint64_t i = 1; i < 10; i++)
		add(&b, PERF_RECORD_AUX, 10 * i, i);
	CHECK_EQ(sideband_log__add(log, 1, buf__span(&b)), 0);
	CHECK_EQ(sideband_log__limit(log, 9 * 48, UINT64_MAX), 0);
	CHECK_EQ(sideband_log__limited(log), 0);
	buf__truncate(&b, 0);
	add_task(&b, PERF_RECORD_FORK, 45, 11, 1);
	add_task(&b, PERF_RECORD_FORK, 85, 12, 1);
	put(log, 0, &b);
	CHECK(!sideband_log__is_over(log, 9 * 48));
	CHECK(sideband_log__is_over(log, 8 * 48));
	CHECK_EQ(sideband_log__limit(log, 8 * 48, 25), 0);
	CHECK_EQ(sideband_log__limited(log), 25);
	CHECK_EQ(marks_of(sideband_log__recent(log, 1)), 3456789);
	CHECK_EQ(pids_of(log), 0);
	CHECK_EQ(sideband_log__limit(log, 6 * 48, UINT64_MAX), 0);
	CHECK_EQ(sideband_log__limited(log), 60);
	CHECK_EQ(marks_of(sideband_log__recent(log, 1)), 6789);
	CHECK_EQ(sideband_log__recent(log, 0).len, 64);
	CHECK_EQ(pids_of(log), 11);
}

/* What the copy knows, and that the two have nothing in common. */
static void test_copy(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(2), *copy = NULL;
	_cleanup_buf_ struct buf b = {0};

	add_task(&b, PERF_RECORD_FORK, 10, 11, 1);
	add(&b, PERF_RECORD_KSYMBOL, 20, 1);
	add(&b, PERF_RECORD_AUX, 30, 2);
	add(&b, PERF_RECORD_AUX, 40, 3);
	add(&b, PERF_RECORD_AUX, 50, 4);
	put(log, 0, &b);
	add_task(&b, PERF_RECORD_FORK, 45, 12, 1);
	put(log, 1, &b);
	CHECK_EQ(sideband_log__fold(log, 30), 0);
	CHECK_EQ(sideband_log__copy(log, 0, 50, &copy), 0);
	if (!copy)
		return;
	CHECK_EQ(sideband_log__fold(log, 100), 0);
	CHECK_EQ(pids_of(copy), 11);
	CHECK_EQ(marks_of(sideband_log__kernel(copy)), 1);
	CHECK_EQ(marks_of(sideband_log__recent(copy, 0)), 23);
	CHECK_EQ(sideband_log__recent(copy, 1).len, 64);
	CHECK_EQ(sideband_log__fold(copy, 100), 0);
	CHECK_EQ(pids_of(copy), 1112);
	CHECK_EQ(pids_of(log), 1112);
}

#define PROGRAM_SIZE (8 + 16 + 32)

/* The BPF program with that number came, or went. */
static void add_program(struct buf *b, uint64_t time, uint32_t id, bool gone)
{
	size_t at = record__begin(b, PERF_RECORD_BPF_EVENT, 0);

	buf__add_u32(b, gone ? PERF_BPF_EVENT_PROG_UNLOAD : PERF_BPF_EVENT_PROG_LOAD);
	buf__add_u32(b, id);
	buf__add_u64(b, 0);
	finish(b, at, time);
}

/* What went before is not in a copy, as little as it may be. */
static void test_copy_has_nothing_gone(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(1), *copy = NULL, *later = NULL;
	_cleanup_buf_ struct buf b = {0};

	add_program(&b, 10, 1, false);
	add_program(&b, 20, 2, false);
	add_program(&b, 30, 1, true);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__copy(log, 25, 50, &copy), 0);
	CHECK_EQ(sideband_log__copy(log, 40, 50, &later), 0);
	if (!copy || !later)
		return;
	CHECK_EQ(sideband_log__kernel(copy).len, 2 * PROGRAM_SIZE);
	CHECK_EQ(sideband_log__recent(copy, 0).len, PROGRAM_SIZE);
	CHECK_EQ(sideband_log__kernel(later).len, PROGRAM_SIZE);
	CHECK_EQ(sideband_log__recent(later, 0).len, 0);
}

static bool is_in_order(struct span records)
{
	const struct perf_event_header *record;
	uint64_t before = 0;
	size_t pos = 0;

	while ((record = record__next(records, &pos))) {
		if (record__time(record, SAMPLE_TYPE) < before)
			return false;
		before = record__time(record, SAMPLE_TYPE);
	}
	return pos == records.len;
}

static struct task_table *make_living(uint32_t first, uint32_t second)
{
	struct task_table *living;
	_cleanup_buf_ struct buf b = {0};

	if (task_table__new(SIZE_MAX, &living))
		exit(1);
	record__add_fork(&b, first, first, 1, 0);
	record__add_fork(&b, second, second, 1, 0);
	CHECK_EQ(task_table__apply(living, buf__span(&b)), 0);
	return living;
}

/* The end of 11 and the begin of 13 were lost; 14 began on the other CPU behind the look. */
static void test_refresh(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(2), *before = NULL;
	_cleanup_(cleanup__task_table) struct task_table *living = make_living(12, 13);
	_cleanup_buf_ struct buf b = {0};

	add_task(&b, PERF_RECORD_FORK, 10, 11, 1);
	add_task(&b, PERF_RECORD_FORK, 20, 12, 1);
	add(&b, PERF_RECORD_AUX, 35, 5);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__fold(log, 15), 0);
	sideband_log__begin_refresh(log, 30);
	add_task(&b, PERF_RECORD_FORK, 40, 14, 1);
	put(log, 1, &b);
	CHECK_EQ(sideband_log__refresh(log, living, (struct span){0}), 0);
	CHECK(is_in_order(sideband_log__recent(log, 0)));
	CHECK_EQ(sideband_log__copy(log, 30, 50, &before), 0);
	if (before)
		CHECK_EQ(pids_of(before), 1112);
	CHECK_EQ(sideband_log__fold(log, 36), 0);
	CHECK_EQ(pids_of(log), 1213);
	CHECK_EQ(sideband_log__fold(log, 50), 0);
	CHECK_EQ(pids_of(log), 121314);
}

/*
 * What came while tasks were read is in the table before they are compared. The end of 11 was lost; 12 was read and has
 * ended since, 14 began since; of 13 an earlier record was folded late.
 */
static void test_refresh_behind_fold(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(1);
	_cleanup_(cleanup__task_table) struct task_table *living = make_living(12, 15);
	_cleanup_buf_ struct buf b = {0};

	add_task(&b, PERF_RECORD_FORK, 10, 11, 1);
	add_task(&b, PERF_RECORD_FORK, 20, 12, 1);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__fold(log, 25), 0);
	sideband_log__begin_refresh(log, 30);
	add_task(&b, PERF_RECORD_FORK, 28, 13, 1);
	add_task(&b, PERF_RECORD_EXIT, 40, 12, 1);
	add_task(&b, PERF_RECORD_FORK, 50, 14, 1);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__fold(log, 60), 0);
	CHECK_EQ(sideband_log__refresh(log, living, (struct span){0}), 0);
	CHECK_EQ(sideband_log__fold(log, 70), 0);
	CHECK_EQ(pids_of(log), 1415);
}

/* Folded on the way, a copy is what it is when folded later. */
static void test_copy_folds(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(1);
	_cleanup_buf_ struct buf b = {0};

	for (uint64_t time = 1; time < 40; time++) {
		add(&b, time % 3 ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_AUX, time, time % 10);
		if (time % 5 == 0)
			add_task(&b, time % 10 ? PERF_RECORD_FORK : PERF_RECORD_EXIT, time, 11, 1);
	}
	put(log, 0, &b);
	for (uint64_t from = 0; from < 45; from++) {
		_cleanup_(cleanup__sideband_log) struct sideband_log *copy = NULL, *other = NULL;

		CHECK_EQ(sideband_log__copy(log, from, 38, &copy), 0);
		CHECK_EQ(sideband_log__copy(log, 0, 38, &other), 0);
		CHECK_EQ(sideband_log__fold(other, from), 0);
		CHECK_EQ(pids_of(copy), pids_of(other));
		CHECK_EQ(sideband_log__recent(copy, 0).len, sideband_log__recent(other, 0).len);
		CHECK_EQ(memcmp(sideband_log__recent(copy, 0).data, sideband_log__recent(other, 0).data,
				sideband_log__recent(copy, 0).len),
			 0);
	}
}

/* A record without a time goes with the one in front of it. */
static void test_no_time(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(1);
	_cleanup_buf_ struct buf b = {0};

	add(&b, PERF_RECORD_KSYMBOL, 10, 1);
	add(&b, PERF_RECORD_KSYMBOL, 0, 2);
	add(&b, PERF_RECORD_KSYMBOL, 20, 3);
	add(&b, PERF_RECORD_KSYMBOL, 0, 4);
	put(log, 0, &b);
	CHECK_EQ(sideband_log__fold(log, 15), 0);
	CHECK_EQ(marks_of(sideband_log__kernel(log)), 12);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 34);
}

static void test_no_record(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(1);
	_cleanup_buf_ struct buf b = {0};

	CHECK_EQ(sideband_log__fold(log, 100), 0);
	CHECK_EQ(sideband_log__recent(log, 0).len, 0);
	add(&b, PERF_RECORD_AUX, 10, 1);
	buf__add_u64(&b, 0); /* a header of size 0 */
	add(&b, PERF_RECORD_AUX, 20, 2);
	CHECK_EQ(sideband_log__add(log, 0, buf__span(&b)), -EBADMSG);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 1);
	buf__truncate(&b, 0);
	add(&b, PERF_RECORD_AUX, 30, 3);
	put(log, 0, &b);
	CHECK_EQ(marks_of(sideband_log__recent(log, 0)), 13);
}

static size_t memory_in_use(void)
{
	const struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* A day in short, after a look that failed: the memory in use is that of the recent stretch. */
static void test_bounded(void)
{
	_cleanup_(cleanup__sideband_log) struct sideband_log *log = begin(2);
	_cleanup_buf_ struct buf b = {0};
	size_t longest = 0, in_use = 0;
	int err = 0;

	sideband_log__begin_refresh(log, 1000);
	sideband_log__give_up_refresh(log);
	for (uint64_t time = 1000; time < 200000; time++) {
		add(&b, PERF_RECORD_SWITCH_CPU_WIDE, time, time);
		add_task(&b, time % 2 ? PERF_RECORD_EXIT : PERF_RECORD_FORK, time, (uint32_t)(10 + time / 2),
			 1);
		err |= sideband_log__add(log, time / 64 % 2, buf__span(&b));
		buf__truncate(&b, 0);
		if (time % 50)
			continue;
		err |= sideband_log__fold(log, time - 500);
		for (unsigned int ring = 0; ring < 2; ring++)
			if (sideband_log__recent(log, ring).len > longest)
				longest = sideband_log__recent(log, ring).len;
		if (time == 10000)
			in_use = memory_in_use();
	}
	CHECK_EQ(memory_in_use(), in_use);
	CHECK_EQ(err, 0);
	for (unsigned int ring = 0; ring < 2; ring++) {
		add(&b, PERF_RECORD_SWITCH_CPU_WIDE, 200000, 1);
		put(log, ring, &b);
	}
	CHECK(longest > 20000 && longest < 600 * (48 + 64));
	CHECK_EQ(sideband_log__kernel(log).len, 0);
	err = sideband_log__fold(log, UINT64_MAX);
	CHECK_EQ(err, 0);
	CHECK_EQ(pids_of(log), 0);
	CHECK_EQ(sideband_log__recent(log, 0).len, 48);
}

int main(void)
{
	test_tasks_in_order_of_time();
	test_all_at_once();
	test_kernel_is_kept();
	test_last_switch_stays();
	test_exit();
	test_exit_without_switches();
	test_idle();
	test_limit();
	test_copy();
	test_copy_has_nothing_gone();
	test_refresh();
	test_refresh_behind_fold();
	test_copy_folds();
	test_no_time();
	test_no_record();
	test_bounded();
	return check__done();
}
