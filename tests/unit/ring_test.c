// SPDX-License-Identifier: GPL-2.0-only
/* Rings in plain memory, where they wrap. */
#include <unistd.h>

#include "check.h"
#include "trace/ring.h"

static void test_drain(void)
{
	struct perf_event_mmap_page page = {.data_head = 5, .data_tail = 0};
	uint8_t data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct ring ring = {.page = &page, .data = data, .data_size = sizeof(data)};
	_cleanup_buf_ struct buf to = {0};

	CHECK_EQ(ring__drain(&ring, &to), 5);
	CHECK_EQ(page.data_tail, 5);
	CHECK_EQ(ring__drain(&ring, &to), 0);
	/* 6 more, 3 behind the end. */
	page.data_head = 11;
	CHECK_EQ(ring__drain(&ring, &to), 6);
	CHECK_EQ(to.len, 11);
	CHECK_EQ(to.data[7], 7);
	CHECK_EQ(to.data[8], 0);
	CHECK_EQ(to.data[10], 2);
	/* Full to the last byte. */
	page.data_head = 19;
	CHECK_EQ(ring__drain(&ring, &to), 8);
	CHECK_EQ(page.data_tail, 19);
}

/* What is read is around the end. */
static void test_aux(void)
{
	struct perf_event_mmap_page page = {.aux_head = 13};
	static const uint8_t aux[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct ring ring = {.page = &page, .aux = aux, .aux_size = sizeof(aux)};
	struct aux_piece piece = {0};
	const struct span *data = piece.data;

	ring__aux_data(&ring, 6, ring__aux_head(&ring), &piece);
	CHECK_EQ(piece.offset, 6);
	CHECK(data[0].data == aux + 6);
	CHECK_EQ(data[0].len, 2);
	CHECK(data[1].data == aux);
	CHECK_EQ(data[1].len, 5);
	ring__aux_data(&ring, 8, 10, &piece);
	CHECK(data[0].data == aux);
	CHECK_EQ(data[0].len, 2);
	CHECK_EQ(data[1].len, 0);
}

/* The kernel writes up to the tail, which is at the beginning of a page. */
static void test_aux_release(void)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page page = {.aux_head = 5 * size - 1, .aux_tail = size};
	struct ring ring = {.page = &page, .aux_size = 4 * size};

	/* One byte less than the buffer has is as much as can be in it: the event was stopped. */
	CHECK(ring__aux_full(&ring, 5 * size - 1));
	CHECK(!ring__aux_full(&ring, 5 * size - 2));
	CHECK(ring__aux_release(&ring, 3 * size + 1));
	CHECK_EQ(page.aux_tail, 3 * size);
	CHECK(!ring__aux_release(&ring, 4 * size - 1));
	CHECK_EQ(page.aux_tail, 3 * size);
	/* The writer came to the old tail after the data was read, and may have seen that one. */
	page.aux_head = 7 * size;
	CHECK(ring__aux_release(&ring, 7 * size));
	CHECK_EQ(page.aux_tail, 7 * size);
}

/* Written from the end down: the newest is where the head is, whatever lies beyond the wrap follows it. */
static void test_backward(void)
{
	struct perf_event_mmap_page page = {.data_head = -(uint64_t)3};
	uint8_t data[8] = {0, 0, 0, 0, 0, 3, 2, 1}, to[8];
	const struct ring ring = {.page = &page, .data = data, .data_size = sizeof(data)};
	uint64_t written;

	CHECK_EQ(ring__copy_backward(&ring, 0, to, &written), 3);
	CHECK_EQ(written, 3);
	CHECK(!memcmp(to, "\3\2\1", 3));
	CHECK_EQ(ring__copy_backward(&ring, 2, to, &written), 1);
	CHECK_EQ(to[0], 3);
	CHECK_EQ(ring__copy_backward(&ring, 3, to, &written), 0);
	/* 7 more: of the oldest two, nothing is left. */
	memcpy(data, (uint8_t[]){8, 7, 6, 5, 4, 3, 10, 9}, sizeof(data));
	page.data_head = -(uint64_t)10;
	CHECK_EQ(ring__copy_backward(&ring, 3, to, &written), 7);
	CHECK_EQ(written, 10);
	CHECK(!memcmp(to, "\12\11\10\7\6\5\4", 7));
	CHECK_EQ(ring__copy_backward(&ring, 0, to, &written), 8);
	CHECK(!memcmp(to, "\12\11\10\7\6\5\4\3", 8));
}

int main(void)
{
	test_drain();
	test_aux();
	test_aux_release();
	test_backward();
	return check__done();
}
