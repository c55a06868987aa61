// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "check.h"
#include "perfdata/record.h"
#include "sideband/text_pokes.h"

#define SAMPLE_TYPE (PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER)
#define BASE 0x1000

static char code[8];

static int write_code(void *ctx, uint64_t addr, struct span bytes)
{
	size_t at = addr - BASE;

	if (addr < BASE || at + bytes.len > sizeof(code))
		return -ERANGE;
	memcpy(code + at, bytes.data, bytes.len);
	return 0;
}

/* As the kernel makes them: padded, and a trailer with the time and the id. */
static void add_poke(struct buf *b, uint64_t time, uint64_t addr, const char *old, const char *new)
{
	size_t at = record__begin(b, PERF_RECORD_TEXT_POKE, 0), end;

	buf__add_u64(b, addr);
	buf__add_u32(b, (uint32_t)(strlen(old) | strlen(new) << 16));
	buf__add(b, old, strlen(old));
	buf__add(b, new, strlen(new));
	record__end(b, at, record__trailer_len(SAMPLE_TYPE));
	end = b->len - record__trailer_len(SAMPLE_TYPE);
	memcpy(b->data + end, &time, sizeof(time));
}

static void test_last_first(void)
{
	struct text_pokes pokes = {0};
	_cleanup_buf_ struct buf one = {0}, two = {0};

	/* AAAA -> BBAA (1) -> BBBC (2) -> DBBC (3), and something that is no change. */
	add_poke(&one, 1, BASE, "AA", "BB");
	record__add_comm(&one, 1, 1, "x", record__trailer_len(SAMPLE_TYPE));
	add_poke(&one, 3, BASE, "B", "D");
	add_poke(&two, 2, BASE + 1, "BAA", "BBC");
	CHECK_EQ(text_pokes__add(&pokes, buf__span(&one)), 0);
	CHECK_EQ(text_pokes__add(&pokes, buf__span(&two)), 0);
	memcpy(code, "DBBCEEEE", 8);
	CHECK_EQ(text_pokes__undo(&pokes, SAMPLE_TYPE, 0, write_code, NULL), 0);
	CHECK(!memcmp(code, "AAAAEEEE", 8));
	/* The copy may have seen some of them only. */
	memcpy(code, "BBAAEEEE", 8);
	CHECK_EQ(text_pokes__undo(&pokes, SAMPLE_TYPE, 0, write_code, NULL), 0);
	CHECK(!memcmp(code, "AAAAEEEE", 8));
	/* The first one was before the copy began: no decoder is told of it. */
	memcpy(code, "DBBCEEEE", 8);
	CHECK_EQ(text_pokes__undo(&pokes, SAMPLE_TYPE, 2, write_code, NULL), 0);
	CHECK(!memcmp(code, "BBAAEEEE", 8));
	text_pokes__release(&pokes);
}

static void test_same_time(void)
{
	struct text_pokes pokes = {0};
	_cleanup_buf_ struct buf b = {0};

	add_poke(&b, 5, BASE, "A", "B");
	add_poke(&b, 5, BASE, "B", "C");
	CHECK_EQ(text_pokes__add(&pokes, buf__span(&b)), 0);
	memcpy(code, "C", 1);
	CHECK_EQ(text_pokes__undo(&pokes, SAMPLE_TYPE, 0, write_code, NULL), 0);
	CHECK_EQ(code[0], 'A');
	text_pokes__release(&pokes);
}

static void test_errors(void)
{
	struct text_pokes pokes = {0};
	_cleanup_buf_ struct buf b = {0};
	const uint16_t too_long = 4000;

	CHECK_EQ(text_pokes__undo(&pokes, SAMPLE_TYPE, 0, write_code, NULL), 0);
	add_poke(&b, 1, BASE + 100, "A", "B");
	CHECK_EQ(text_pokes__add(&pokes, buf__span(&b)), 0);
	CHECK_EQ(text_pokes__undo(&pokes, SAMPLE_TYPE, 0, write_code, NULL), -ERANGE);
	memcpy(pokes.records.data + 16, &too_long, sizeof(too_long));
	CHECK_EQ(text_pokes__undo(&pokes, SAMPLE_TYPE, 0, write_code, NULL), -EBADMSG);
	text_pokes__release(&pokes);
}

int main(void)
{
	test_last_first();
	test_same_time();
	test_errors();
	return check__done();
}
