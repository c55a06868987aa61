// SPDX-License-Identifier: GPL-2.0-only
/* What is told of pieces of trace: each byte of them once, and nothing of others. */
#include "check.h"
#include "perfdata/aux_cover.h"
#include "perfdata/record.h"

#define CPU 3
#define ID 77
#define PIECE 1000, 5000
#define RAW PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW

struct aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t id;
};

static struct buf out;
static size_t at;

static struct aux_cover_piece piece;

static struct aux_cover begin(uint64_t from, uint64_t to)
{
	piece = (struct aux_cover_piece){CPU, ID, from, to};
	buf__truncate(&out, 0);
	at = 0;
	return (struct aux_cover){.pieces = &piece, .nr = 1, .flags = RAW};
}

static void add_of(struct aux_cover *cover, uint32_t cpu, uint64_t offset, uint64_t size, uint64_t flags)
{
	const struct aux_record record = {
		.header = {PERF_RECORD_AUX, 0, sizeof(record)},
		.offset = offset,
		.size = size,
		.flags = flags,
		.pid = 10,
		.tid = 11,
		.time = 12,
		.cpu = cpu,
		.id = ID,
	};

	aux_cover__replace(cover, &record.header, &out);
}

/* As the kernel tells of [from, to) in a buffer that is overwritten. */
static void add(struct aux_cover *cover, uint64_t from, uint64_t to)
{
	add_of(cover, CPU, to, to - from, RAW | PERF_AUX_FLAG_OVERWRITE);
}

static struct aux_record next(void)
{
	const struct perf_event_header *header = record__next(buf__span(&out), &at);
	struct aux_record record = {0};

	if (CHECK(header && header->size == sizeof(record)))
		memcpy(&record, header, sizeof(record));
	return record;
}

static void expect(uint64_t from, uint64_t to, bool own)
{
	struct aux_record r = next();

	CHECK_EQ(r.header.type, PERF_RECORD_AUX);
	CHECK_EQ(r.offset, from);
	CHECK_EQ(r.offset + r.size, to);
	CHECK_EQ(r.flags, RAW);
	CHECK_EQ(r.cpu, CPU);
	CHECK_EQ(r.id, ID);
	CHECK_EQ(r.time, own ? 0 : 12);
	CHECK_EQ(r.tid, own ? UINT32_MAX : 11);
}

static void end(struct aux_cover *cover)
{
	aux_cover__finish(cover, &out);
}

static void expect_end(void)
{
	CHECK_EQ(at, out.len);
	CHECK_EQ(buf__error(&out), 0);
}

static void test_whole(void)
{
	struct aux_cover cover = begin(PIECE);

	cover.whole = true;
	add(&cover, 900, 1200);
	add(&cover, 1200, 4000);
	CHECK_EQ(out.len, 0);
	end(&cover);
	expect(PIECE, true);
	expect_end();
}

/* What is behind the trace belongs to the last record of it; a decoder begins anew behind a record. */
static void test_tail(void)
{
	struct aux_cover cover = begin(PIECE);

	piece.tail = 8;
	add(&cover, 900, 2000);
	add(&cover, 2000, 4992);
	add(&cover, 4992, 4992);
	add(&cover, 4992, 6000);
	end(&cover);
	expect(1000, 2000, false);
	expect(2000, 5000, false);
	expect_end();
	cover = begin(PIECE);
	piece.tail = 8;
	add(&cover, 900, 6000); /* the snapshot was taken in between */
	end(&cover);
	expect(PIECE, false);
	expect_end();
	cover = begin(PIECE);
	piece.tail = 8;
	add(&cover, 900, 4000);
	end(&cover);
	expect(1000, 4000, false);
	expect(4000, 5000, true);
	expect_end();
}

static void test_trimmed(void)
{
	struct aux_cover cover = begin(PIECE);

	add(&cover, 0, 600);
	add(&cover, 600, 1200);
	add(&cover, 1200, 4000);
	add(&cover, 4000, 4000);
	add(&cover, 4000, 6000);
	add(&cover, 6000, 7000);
	end(&cover);
	expect(1000, 1200, false);
	expect(1200, 4000, false);
	expect(4000, 5000, false);
	expect_end();
}

static void test_missing(void)
{
	struct aux_cover cover = begin(PIECE);

	add(&cover, 2000, 3000);
	add(&cover, 3500, 4000);
	end(&cover);
	expect(1000, 2000, true);
	expect(2000, 3000, false);
	expect(3000, 3500, true);
	expect(3500, 4000, false);
	expect(4000, 5000, true);
	expect_end();
	cover = begin(PIECE);
	end(&cover);
	expect(1000, 5000, true);
	expect_end();
}

static void test_as_large_as_can_be(void)
{
	struct aux_cover cover = begin(PIECE);

	add(&cover, 0, 10000);
	end(&cover);
	expect(1000, 5000, false);
	expect_end();
}

/* Of a buffer that is read while it is written the offset is that of the begin. */
static void test_not_overwritten(void)
{
	struct aux_cover cover = begin(PIECE);

	add_of(&cover, CPU, 1000, 4000, RAW);
	expect(1000, 5000, false);
	expect_end();
}

static void test_format(void)
{
	struct aux_cover cover = begin(PIECE);

	add_of(&cover, CPU, 2000, 500, PERF_AUX_FLAG_OVERWRITE | PERF_AUX_FLAG_TRUNCATED);
	end(&cover);
	CHECK_EQ(next().flags, 0);
	CHECK_EQ(next().flags, PERF_AUX_FLAG_TRUNCATED);
	CHECK_EQ(next().flags, 0);
	expect_end();
}

static void test_strangers(void)
{
	struct aux_cover cover = begin(PIECE);
	const struct aux_record cut = {.header = {PERF_RECORD_AUX, 0, 32}, .offset = 2000, .size = 1000};

	add_of(&cover, CPU + 1, 3000, 1000, RAW);
	aux_cover__replace(&cover, &cut.header, &out);
	expect_end();
	cover = begin(1000, 1000);
	add(&cover, 0, 3000);
	end(&cover);
	expect_end();
}

int main(void)
{
	test_whole();
	test_tail();
	test_trimmed();
	test_missing();
	test_as_large_as_can_be();
	test_not_overwritten();
	test_format();
	test_strangers();
	buf__release(&out);
	return check__done();
}
