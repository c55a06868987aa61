// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/compressor.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <zstd.h>

#include "check.h"
#include "perfdata/record.h"

/* A record of @size bytes: alike ones, or, with @noise, none like another. */
static void add_record(struct buf *b, uint16_t size, bool noise)
{
	static uint64_t random = 88172645463325252;
	const struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = size};

	buf__add(b, &header, sizeof(header));
	for (size_t i = sizeof(header); i < size; i += sizeof(uint64_t)) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		buf__add_u64(b, noise ? random : i);
	}
}

/* Back as perf does it: the frames of one record after the other, each into a place of its own. */
static void decompress(struct span packed, struct buf *b, size_t *nr)
{
	static char piece[64 << 10];
	const struct perf_event_header *record;
	size_t pos = 0, len;

	while ((record = record__next(packed, &pos))) {
		if (record->type != RECORD_COMPRESSED) {
			buf__add(b, record, record->size);
			continue;
		}
		len = ZSTD_decompress(piece, sizeof(piece), record + 1, record->size - sizeof(*record));
		if (!CHECK(!ZSTD_isError(len)))
			return;
		buf__add(b, piece, len);
		++*nr;
	}
	CHECK_EQ(pos, packed.len);
}

static size_t check_back(const struct buf *records, int level)
{
	_cleanup_(cleanup__compressor) struct compressor *c = NULL;
	_cleanup_buf_ struct buf out = {0}, back = {0};
	size_t nr = 0;

	CHECK_EQ(compressor__new(level, &c), 0);
	CHECK_EQ(compressor__add(c, buf__span(records), &out), 0);
	CHECK_EQ(compressor__flush(c, &out), 0);
	CHECK_EQ(compressor__flush(c, &out), 0);
	decompress(buf__span(&out), &back, &nr);
	CHECK_EQ(back.len, records->len);
	CHECK(!records->len || !memcmp(back.data, records->data, records->len));
	return nr;
}

static void test_sizes(void)
{
	_cleanup_buf_ struct buf records = {0};

	CHECK_EQ(check_back(&records, 1), 0);
	add_record(&records, 8, false);
	CHECK_EQ(check_back(&records, 1), 0); /* would be larger */
	for (unsigned int size = 16; size < 400; size += 8)
		add_record(&records, (uint16_t)size, false);
	CHECK_EQ(check_back(&records, 1), 1);
	CHECK_EQ(check_back(&records, 22), 1);
	add_record(&records, 65528, false);
	add_record(&records, 65528, true);
	add_record(&records, 8, true);
	add_record(&records, 65528, false);
	/* In front of, and behind, what cannot be made smaller. */
	CHECK_EQ(check_back(&records, 1), 3);
	for (int i = 0; i < 10000; i++)
		add_record(&records, (uint16_t)(8 + i % 100 * 8), i % 7 == 0);
	CHECK(check_back(&records, 1) > 50);
}

static void test_description(void)
{
	_cleanup_(cleanup__compressor) struct compressor *c = NULL;
	_cleanup_buf_ struct buf records = {0}, out = {0}, b = {0};
	uint32_t words[5];

	CHECK_EQ(compressor__new(3, &c), 0);
	for (int i = 0; i < 1000; i++)
		add_record(&records, 400, false);
	CHECK_EQ(compressor__add(c, buf__span(&records), &out), 0);
	CHECK_EQ(compressor__flush(c, &out), 0);
	compressor__describe(c, &b);
	if (!CHECK_EQ(b.len, sizeof(words)))
		return;
	memcpy(words, b.data, sizeof(words));
	CHECK_EQ(words[0], 1);
	CHECK_EQ(words[1], 1);
	CHECK_EQ(words[2], 3);
	CHECK_EQ(words[3], records.len / out.len);
	CHECK_EQ(words[4], 65536);
}

static void test_no_records(void)
{
	_cleanup_(cleanup__compressor) struct compressor *c = NULL;
	_cleanup_buf_ struct buf records = {0}, out = {0};

	CHECK_EQ(compressor__new(1, &c), 0);
	add_record(&records, 16, false);
	CHECK_EQ(compressor__add(c, (struct span){records.data, 12}, &out), -EBADMSG);
}

int main(void)
{
	test_sizes();
	test_description();
	test_no_records();
	return check__done();
}
