// SPDX-License-Identifier: GPL-2.0-only
/* Rings in plain memory: what wraps, and what an AUX buffer holds. */
#include "check.h"
#include "kernel/ring.h"

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

static void test_aux(void)
{
	struct perf_event_mmap_page page = {.aux_head = 3};
	uint8_t aux[8] = {1, 2, 3};
	struct ring ring = {.page = &page, .aux = aux, .aux_size = sizeof(aux)};
	struct span spans[2];

	ring__aux_spans(&ring, spans);
	CHECK_EQ(spans[0].len, 3);
	CHECK(spans[0].data == aux);
	CHECK_EQ(spans[1].len, 0);
	/* Something behind the head: the head has wrapped, what is there is older. */
	aux[5] = 9;
	ring__aux_spans(&ring, spans);
	CHECK(spans[0].data == aux + 3);
	CHECK_EQ(spans[0].len, 5);
	CHECK(spans[1].data == aux);
	CHECK_EQ(spans[1].len, 3);
	/* The last byte written was the last of the buffer. */
	page.aux_head = 0;
	ring__aux_spans(&ring, spans);
	CHECK_EQ(spans[0].len, 8);
	CHECK_EQ(spans[1].len, 0);
	memset(aux, 0, sizeof(aux));
	ring__aux_spans(&ring, spans);
	CHECK_EQ(spans[0].len, 0);
	CHECK_EQ(spans[1].len, 0);
}

int main(void)
{
	test_drain();
	test_aux();
	return check__done();
}
