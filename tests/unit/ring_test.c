// SPDX-License-Identifier: GPL-2.0-only
/* Rings in plain memory, where they wrap. */
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

int main(void)
{
	test_drain();
	return check__done();
}
