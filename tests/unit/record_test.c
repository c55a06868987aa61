// SPDX-License-Identifier: GPL-2.0-only
/* Records as the kernel and perf lay them out, byte by byte where it matters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "perfdata/merge.h"
#include "perfdata/record.h"

#define SAMPLE_TYPE \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

static uint64_t u64_at(const struct buf *b, size_t offset)
{
	uint64_t val = 0;

	if (CHECK(offset + sizeof(val) <= b->len))
		memcpy(&val, b->data + offset, sizeof(val));
	return val;
}

static struct perf_event_header header_at(const struct buf *b, size_t offset)
{
	struct perf_event_header h = {0};

	if (CHECK(offset + sizeof(h) <= b->len))
		memcpy(&h, b->data + offset, sizeof(h));
	return h;
}

static void test_trailer(void)
{
	CHECK_EQ(record__trailer_len(SAMPLE_TYPE), 32);
	CHECK_EQ(record__trailer_len(PERF_SAMPLE_IP | PERF_SAMPLE_ADDR), 0);
	CHECK(record__are_alike(SAMPLE_TYPE, SAMPLE_TYPE | PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN));
	CHECK(!record__are_alike(SAMPLE_TYPE, SAMPLE_TYPE | PERF_SAMPLE_STREAM_ID));
	CHECK(!record__are_alike(SAMPLE_TYPE, SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_IP));
}

static void test_mmap(void)
{
	struct build_id id;
	const char *name;
	_cleanup_buf_ struct buf b = {0};
	struct record_mmap m = {
		.misc = PERF_RECORD_MISC_USER,
		.pid = 7,
		.tid = 8,
		.start = 0x400000,
		.len = 0x2000,
		.pgoff = 0x1000,
		.maj = 8,
		.min = 1,
		.ino = 99,
		.prot = 5,
		.flags = 2,
		.name = "/bin/cat",
	};

	record__add_mmap2(&b, &m, 32);
	CHECK_EQ(b.len, 72 + 16 + 32);
	CHECK_EQ(header_at(&b, 0).type, PERF_RECORD_MMAP2);
	CHECK_EQ(header_at(&b, 0).size, b.len);
	CHECK_EQ(u64_at(&b, 8), 7 | 8ULL << 32);
	CHECK_EQ(u64_at(&b, 16), 0x400000);
	CHECK_EQ(u64_at(&b, 48), 99);
	CHECK_STREQ((char *)b.data + 72, "/bin/cat");
	CHECK_EQ(u64_at(&b, b.len - 8), 0);

	buf__truncate(&b, 0);
	m.build_id = (struct build_id){.data = {0xab, [19] = 0xcd}, .size = 20};
	record__add_mmap2(&b, &m, 0);
	CHECK_EQ(header_at(&b, 0).misc, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	CHECK_EQ(b.data[40], 20);
	CHECK_EQ(b.data[44], 0xab);
	CHECK_EQ(b.data[63], 0xcd);
	CHECK(record__mmap2_build_id((void *)b.data, &id, &name));
	CHECK_EQ(id.data[19], 0xcd);
	CHECK_STREQ(name, "/bin/cat");

	CHECK_STREQ(record__mmap2_name((void *)b.data), "/bin/cat");

	buf__truncate(&b, 0);
	record__add_mmap(&b, &m, 0);
	CHECK(!record__mmap2_name((void *)b.data));
	CHECK_EQ(b.len, 40 + 16);
	CHECK_EQ(header_at(&b, 0).type, PERF_RECORD_MMAP);
}

static const struct perf_event_header *record_of(const struct buf *b)
{
	return (const void *)b->data;
}

static void test_mmap_is_read_back(void)
{
	_cleanup_buf_ struct buf b = {0};
	const struct record_mmap m = {.misc = PERF_RECORD_MISC_USER,
				      .pid = 7,
				      .tid = 8,
				      .start = 0x400000,
				      .len = 0x2000,
				      .pgoff = 0x1000,
				      .maj = 8,
				      .min = 1,
				      .ino = 99,
				      .prot = 5,
				      .flags = 2,
				      .name = "/bin/cat"};
	struct record_mmap r;

	record__add_mmap2(&b, &m, 32);
	CHECK(record__mmap(record_of(&b), &r));
	CHECK(r.pid == 7 && r.tid == 8 && r.start == 0x400000 && r.len == 0x2000 && r.pgoff == 0x1000);
	CHECK(r.maj == 8 && r.min == 1 && r.ino == 99 && r.prot == 5 && r.flags == 2 && !r.build_id.size);
	CHECK_STREQ(r.name, "/bin/cat");

	buf__truncate(&b, 0);
	record__add_mmap(&b, &m, 0);
	CHECK(record__mmap(record_of(&b), &r));
	CHECK(r.pid == 7 && r.len == 0x2000 && r.prot == 5); /* no prot in it: executable */
	CHECK_STREQ(r.name, "/bin/cat");
	/* A name without end. */
	memset(b.data + 40, 'x', b.len - 40);
	CHECK(!record__mmap(record_of(&b), &r));
}

static void test_tasks_are_read_back(void)
{
	_cleanup_buf_ struct buf b = {0};
	struct record_task task;
	struct record_mmap map;
	uint32_t pid, tid;

	record__add_fork(&b, 10, 12, 1, 0);
	CHECK(record__task(record_of(&b), &task));
	CHECK(task.pid == 10 && task.tid == 12 && task.ppid == 10 && task.ptid == 10);
	CHECK(!record__mmap(record_of(&b), &map));
	CHECK(!record__comm(record_of(&b), &pid, &tid));
	buf__truncate(&b, 0);
	record__add_comm(&b, 10, 11, "seven b", 32);
	CHECK_STREQ(record__comm(record_of(&b), &pid, &tid) ?: "", "seven b");
	CHECK(pid == 10 && tid == 11);
	CHECK(!record__task(record_of(&b), &task));
}

static void test_tasks(void)
{
	_cleanup_buf_ struct buf b = {0};

	record__add_comm(&b, 10, 11, "seven b", 32);
	CHECK_EQ(b.len, 16 + 8 + 32);
	buf__truncate(&b, 0);
	record__add_fork(&b, 10, 10, 1, 0);
	CHECK_EQ(u64_at(&b, 8), 10 | 1ULL << 32); /* a process: from its parent */
	CHECK_EQ(header_at(&b, 0).misc, PERF_RECORD_MISC_FORK_EXEC);
	buf__truncate(&b, 0);
	record__add_fork(&b, 10, 12, 1, 0);
	CHECK_EQ(u64_at(&b, 16), 12 | 10ULL << 32); /* a thread: from its leader */
}

static void test_bpf(void)
{
	static const uint8_t tag[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	_cleanup_buf_ struct buf b = {0};
	struct record_bpf bpf = {0};

	record__add_ksymbol(&b, 0xffffffffc0001000, 0x123, "bpf_prog_x", 0);
	CHECK_EQ(u64_at(&b, 8), 0xffffffffc0001000);
	CHECK_EQ(u64_at(&b, 16), 0x123 | (uint64_t)PERF_RECORD_KSYMBOL_TYPE_BPF << 32);
	CHECK_STREQ(record__ksymbol_name((void *)b.data), "bpf_prog_x");
	buf__truncate(&b, 0);
	record__add_bpf_load(&b, 42, tag, 32);
	CHECK(!record__ksymbol_name((void *)b.data));
	CHECK(record__bpf((void *)b.data, &bpf));
	CHECK(bpf.loaded);
	CHECK_EQ(bpf.id, 42);
	CHECK_EQ(bpf.trailer_at, 24);
	CHECK_EQ(u64_at(&b, 8), PERF_BPF_EVENT_PROG_LOAD | 42ULL << 32);
	CHECK_EQ(u64_at(&b, 16), 0x0807060504030201);
	b.data[8] = PERF_BPF_EVENT_PROG_UNLOAD;
	CHECK(record__bpf((void *)b.data, &bpf));
	CHECK(!bpf.loaded);
	CHECK_EQ(bpf.id, 42);
	b.data[8] = PERF_BPF_EVENT_UNKNOWN;
	CHECK(!record__bpf((void *)b.data, &bpf));
}

static void test_id_index_splits(void)
{
	_cleanup_buf_ struct buf b = {0};
	struct record_id *ids = calloc(3000, sizeof(*ids));
	size_t pos = 0, sum = 0, nr = 0;
	const struct perf_event_header *h;
	size_t i;

	if (!CHECK(ids))
		return;
	for (i = 0; i < 3000; i++)
		ids[i] = (struct record_id){.id = i, .cpu = (int64_t)i, .tid = -1};
	record__add_id_index(&b, ids, 3000);
	while ((h = record__next(buf__span(&b), &pos))) {
		sum += u64_at(&b, pos - h->size + 8);
		nr++;
	}
	CHECK_EQ(pos, b.len);
	CHECK_EQ(sum, 3000);
	CHECK_EQ(nr, 2);
	free(ids);
}

static void test_too_long(void)
{
	_cleanup_buf_ struct buf b = {0};
	char *name = calloc(1, 70000);

	if (!CHECK(name))
		return;
	memset(name, 'x', 69999);
	record__add_comm(&b, 1, 1, name, 0);
	CHECK_EQ(buf__error(&b), -E2BIG);
	free(name);
}

/* A kernel record with a trailer: tid, time, cpu, identifier. */
static void add_timed(struct buf *b, uint32_t type, uint64_t time, uint64_t mark)
{
	const struct perf_event_header h = {.type = type, .size = 8 + 8 + 32};

	buf__add(b, &h, sizeof(h));
	buf__add_u64(b, mark);
	buf__add_u64(b, 0);
	buf__add_u64(b, time);
	buf__add_u64(b, 0);
	buf__add_u64(b, 0);
}

static void test_time(void)
{
	_cleanup_buf_ struct buf b = {0};
	const struct perf_event_header sample = {.type = PERF_RECORD_SAMPLE, .size = 48};

	add_timed(&b, PERF_RECORD_SWITCH, 1234, 0);
	CHECK_EQ(record__time((void *)b.data, SAMPLE_TYPE), 1234);
	CHECK_EQ(record__time((void *)b.data, SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_TIME), 0);
	buf__truncate(&b, 0);
	buf__add(&b, &sample, sizeof(sample));
	buf__add_u64(&b, 1); /* identifier */
	buf__add_u64(&b, 2); /* ip */
	buf__add_u64(&b, 3); /* tid */
	buf__add_u64(&b, 4); /* time */
	buf__add_u64(&b, 5); /* cpu */
	CHECK_EQ(record__time((void *)b.data, SAMPLE_TYPE), 4);
	CHECK_EQ(record__pid((void *)b.data, SAMPLE_TYPE), 3);
	CHECK_EQ(record__pid((void *)b.data, SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_TID), 0);
}

/* Who told, and not of whom. */
static void test_pid(void)
{
	_cleanup_buf_ struct buf b = {0};
	const uint64_t pid_and_tid = 77 | (uint64_t)78 << 32;

	record__add_fork(&b, 5, 6, 7, record__trailer_len(SAMPLE_TYPE));
	CHECK_EQ(record__pid((void *)b.data, SAMPLE_TYPE), 0);
	buf__put_at(&b, b.len - record__trailer_len(SAMPLE_TYPE), &pid_and_tid, sizeof(pid_and_tid));
	CHECK_EQ(record__pid((void *)b.data, SAMPLE_TYPE), 77);
	CHECK_EQ(record__tid((void *)b.data, SAMPLE_TYPE), 78);
}

static int collect(void *ctx, struct span records)
{
	struct buf *out = ctx;

	buf__add(out, records.data, records.len);
	return buf__error(out);
}

static void test_merge(void)
{
	_cleanup_buf_ struct buf one = {0}, two = {0}, out = {0};
	const struct merge_sink sink = {collect, &out};
	struct merge_stats stats;
	struct span rings[2];
	uint64_t i;

	add_timed(&one, PERF_RECORD_SWITCH, 10, 0);
	add_timed(&one, PERF_RECORD_SWITCH, 0, 1); /* no time: stays behind its predecessor */
	add_timed(&one, PERF_RECORD_SWITCH, 30, 3);
	add_timed(&two, PERF_RECORD_SWITCH, 20, 2);
	add_timed(&two, PERF_RECORD_SWITCH, 40, 4);
	buf__add_u64(&two, 0); /* a header of size 0 */
	rings[0] = buf__span(&one);
	rings[1] = buf__span(&two);
	CHECK_EQ(merge__rings(rings, 2, SAMPLE_TYPE, &sink, &stats), 0);
	CHECK_EQ(stats.nr_records, 5);
	CHECK_EQ(stats.first, 10);
	CHECK_EQ(stats.last, 40);
	CHECK_EQ(stats.bad_bytes, 8);
	for (i = 0; i < 5; i++)
		CHECK_EQ(u64_at(&out, i * 48 + 8), i);
	CHECK_EQ(header_at(&out, 5 * 48).type, RECORD_FINISHED_ROUND);
	CHECK_EQ(out.len, 5 * 48 + 8);
}

static int refuse(void *ctx, struct span records)
{
	return -ENOSPC;
}

static void test_merge_error(void)
{
	_cleanup_buf_ struct buf one = {0};
	const struct merge_sink sink = {refuse, NULL};
	struct merge_stats stats;
	struct span ring;

	add_timed(&one, PERF_RECORD_SWITCH, 10, 0);
	ring = buf__span(&one);
	CHECK_EQ(merge__rings(&ring, 1, SAMPLE_TYPE, &sink, &stats), -ENOSPC);
}

static void test_next_refuses(void)
{
	struct perf_event_header h[2] = {{.size = 8}, {.size = 12}};
	const struct span span = {h, sizeof(h)};
	size_t pos = 0;

	CHECK(record__next(span, &pos));
	CHECK(!record__next(span, &pos)); /* no multiple of 8 */
	CHECK_EQ(pos, 8);
	h[1].size = 16;
	CHECK(!record__next(span, &pos)); /* longer than what is there */
	h[1].size = 0;
	CHECK(!record__next(span, &pos));
}

/* Who runs stays known. */
static void test_remove(void)
{
	static const uint32_t types[] = {PERF_RECORD_AUX, PERF_RECORD_LOST, PERF_RECORD_AUX, PERF_RECORD_AUX,
					 PERF_RECORD_EXIT};
	static const uint32_t left[] = {PERF_RECORD_AUX, PERF_RECORD_LOST, PERF_RECORD_EXIT};
	_cleanup_buf_ struct buf b = {0};
	const struct perf_event_header *record;
	size_t pos = 0, from = 0;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		size_t at = record__begin(&b, types[i], 0);

		for (size_t words = 0; words <= i; words++)
			buf__add_u64(&b, i);
		record__end(&b, at, 0);
		from = i ? from : b.len;
	}
	record__remove(&b, from, PERF_RECORD_AUX);
	for (size_t i = 0; i < ARRAY_SIZE(left); i++) {
		record = record__next(buf__span(&b), &pos);
		CHECK(record && record->type == left[i]);
	}
	CHECK_EQ(pos, b.len);
	CHECK_EQ(pos, 3 * 8 + (1 + 2 + 5) * 8);
}

static void test_idle(void)
{
	_cleanup_buf_ struct buf ring = {0}, kept = {0};

	add_timed(&ring, PERF_RECORD_SWITCH, 10, 1);
	add_timed(&ring, PERF_RECORD_EXIT, 20, 2);
	add_timed(&ring, PERF_RECORD_SWITCH_CPU_WIDE, 30, 3);
	add_timed(&ring, PERF_RECORD_FORK, 40, 4);
	CHECK_EQ(record__add_idle(&kept, buf__span(&ring)), 0);
	CHECK_EQ(kept.len, 3 * 48);
	for (size_t i = 0; i < 3; i++)
		CHECK_EQ(u64_at(&kept, i * 48 + 8), i + 2);
	CHECK_EQ(record__add_idle(&kept, (struct span){ring.data, 48 + 8}), -EBADMSG);
}

/* What a second event is told is longer than what is written to it. */
static void lengthen(struct buf *b, size_t at)
{
	buf__add(b, NULL, 32);
	memset(b->data + b->len - 32, 0xee, 32);
	((struct perf_event_header *)(void *)(b->data + at))->size += 32;
}

static void add_text_poke(struct buf *b, uint64_t time)
{
	const uint8_t bytes[] = {5, 0, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0};
	size_t at = record__begin(b, PERF_RECORD_TEXT_POKE, 0);

	buf__add_u64(b, 0xffffffff81000000);
	buf__add(b, bytes, sizeof(bytes));
	record__end(b, at, 8);
	buf__add_u64(b, time);
	buf__add(b, NULL, 16);
	((struct perf_event_header *)(void *)(b->data + at))->size += 24;
}

static void test_trim(void)
{
	_cleanup_buf_ struct buf right = {0}, b = {0}, none = {0};
	const uint8_t tag[8] = {1};
	size_t at[5];

	buf__add_u64(&b, 0x0008000000000000);
	for (size_t i = 0; i < 5; i++) {
		struct buf one = {0};

		if (i == 0)
			record__add_ksymbol(&one, 0x1000, 16, "seven77", 32);
		else if (i == 1)
			record__add_ksymbol(&one, 0x1000, 16, "eight888", 32);
		else if (i == 2)
			record__add_bpf_load(&one, 7, tag, 32);
		else if (i == 3)
			add_text_poke(&one, 1234);
		else
			add_timed(&one, PERF_RECORD_SWITCH, 99, 1);
		buf__add(&right, one.data, one.len);
		buf__add(&right, one.data, one.len);
		at[i] = b.len;
		buf__add(&b, one.data, one.len);
		if (i < 4)
			lengthen(&b, at[i]);
		buf__add(&b, one.data, one.len);
		buf__release(&one);
	}
	record__trim(&none, 0, SAMPLE_TYPE);
	CHECK_EQ(none.len, 0);
	record__trim(&b, 8, SAMPLE_TYPE);
	CHECK_EQ(b.len, right.len + 8);
	CHECK(!memcmp(b.data + 8, right.data, right.len));
}

int main(void)
{
	test_trailer();
	test_mmap();
	test_mmap_is_read_back();
	test_tasks();
	test_tasks_are_read_back();
	test_bpf();
	test_id_index_splits();
	test_too_long();
	test_time();
	test_pid();
	test_merge();
	test_merge_error();
	test_next_refuses();
	test_remove();
	test_idle();
	test_trim();
	return check__done();
}
