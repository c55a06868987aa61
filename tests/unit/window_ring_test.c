// SPDX-License-Identifier: GPL-2.0-only
/* What is read of a ring of windows: all that it holds whole, also while it is written. */
#include <pthread.h>
#include <stdbool.h>

#include "check.h"
#include "gate/window_ring.h"

#define SIZE 8
#define WINDOWS 2000000
#define READS 2000

static struct auxbpf_window ring[SIZE];

/* A window all of whose times and arguments are the number. */
static void put(uint64_t number)
{
	struct auxbpf_window *w = &ring[number % SIZE];

	__atomic_exchange_n(&w->number, AUXBPF_WINDOW_BUSY, __ATOMIC_SEQ_CST);
	*(volatile __u64 *)&w->begin = number;
	for (size_t i = 0; i < ARRAY_SIZE(w->args); i++)
		*(volatile __u64 *)&w->args[i] = number;
	*(volatile __u64 *)&w->end = number;
	__atomic_exchange_n(&w->number, number + 1, __ATOMIC_SEQ_CST);
}

static bool is_whole(const struct auxbpf_window *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(w->args); i++)
		if (w->args[i] != w->begin)
			return false;
	return w->end == w->begin && w->number == w->begin + 1;
}

static const struct auxbpf_window *all(const struct buf *b)
{
	return (const struct auxbpf_window *)(const void *)b->data;
}

static void check_read(uint64_t ended, uint64_t first, uint64_t nr)
{
	_cleanup_buf_ struct buf b = {0};

	window_ring__read(ring, SIZE, ended, &b);
	if (!CHECK_EQ(b.len, nr * sizeof(struct auxbpf_window)))
		return;
	for (uint64_t i = 0; i < nr; i++)
		CHECK_EQ(all(&b)[i].begin, first + i);
}

static void test_order(void)
{
	check_read(0, 0, 0);
	for (uint64_t n = 0; n < 3 * SIZE; n++) {
		put(n);
		check_read(n + 1, n < SIZE ? 0 : n + 1 - SIZE, n < SIZE ? n + 1 : SIZE);
	}
}

/* Entries that are being written, or that belong to a later window by now. */
static void test_busy(void)
{
	ring[(3 * SIZE - 1) % SIZE].number = AUXBPF_WINDOW_BUSY;
	check_read(3 * SIZE, 2 * SIZE, SIZE - 1);
	put(3 * SIZE);
	check_read(3 * SIZE, 2 * SIZE + 1, SIZE - 2);
}

static void test_size(void)
{
	CHECK_EQ(window_ring__size(1), 4096);
	CHECK_EQ(window_ring__size(16), 4096);
	CHECK_EQ(window_ring__size(17), 2048);
	CHECK_EQ(window_ring__size(256), 256);
	CHECK_EQ(window_ring__size(1024), 64);
	CHECK_EQ(window_ring__size(AUXBPF_MAX_CPUS), 64);
}

static uint64_t written;
static bool stop;

static void *write_on(void *arg)
{
	for (uint64_t n = 0; n < WINDOWS && !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++) {
		put(n);
		__atomic_store_n(&written, n + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* What is read meanwhile is whole, however the two threads run. */
static void test_race(void)
{
	pthread_t writer;
	bool whole = true;

	memset(ring, 0, sizeof(ring));
	if (!CHECK_EQ(pthread_create(&writer, NULL, write_on, NULL), 0))
		return;
	for (int i = 0; i < READS; i++) {
		_cleanup_buf_ struct buf b = {0};

		window_ring__read(ring, SIZE, __atomic_load_n(&written, __ATOMIC_ACQUIRE), &b);
		for (size_t n = 0; n < b.len / sizeof(struct auxbpf_window); n++)
			whole &= is_whole(&all(&b)[n]);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	CHECK(whole);
	check_read(written, written > SIZE ? written - SIZE : 0, written > SIZE ? SIZE : written);
}

int main(void)
{
	test_order();
	test_busy();
	test_size();
	test_race();
	return check__done();
}
