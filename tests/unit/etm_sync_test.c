// SPDX-License-Identifier: GPL-2.0-only
/* Sync points in the trace of ETMv4 and ETE, however the buffer's end cuts them. */
#include "check.h"
#include "trace/cs_etm/sync.h"

#define ASYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
#define INFO 0x01, 0x01, 0x00
#define TIME_OF(x) 0x02, 0x80 | ((x)&0x7f), (x) >> 7 /* of 14 bits */

static struct aux_sync sync_at;

/* The sync point behind *at, with the bytes cut in two after @first. */
static bool next_of(const uint8_t *bytes, size_t len, size_t first, size_t *at)
{
	const struct span data[2] = {{bytes, first}, {bytes + first, len - first}};

	return etm_sync__next(data, at, &sync_at);
}

/* That the bytes have one sync point, at @where, with @time (0: none), wherever they are cut. */
static void check_one(const uint8_t *bytes, size_t len, size_t where, uint64_t time)
{
	for (size_t first = 0; first <= len; first++) {
		size_t at = 0;

		if (!CHECK(next_of(bytes, len, first, &at)))
			return;
		CHECK_EQ(sync_at.at, where);
		CHECK_EQ(sync_at.has_time, time != 0);
		if (time)
			CHECK_EQ(sync_at.time, time);
		CHECK(!next_of(bytes, len, first, &at));
		CHECK_EQ(at, len);
	}
}

#define CHECK_ONE(where, time, ...)                               \
	do {                                                      \
		const uint8_t bytes[] = {__VA_ARGS__};            \
		check_one(bytes, sizeof(bytes), (where), (time)); \
	} while (0)

static void test_places(void)
{
	CHECK_ONE(0, 0, ASYNC);
	CHECK_ONE(3, 0, 0xf7, 0xf7, 0xf7, ASYNC, 0xf7);
	/* Zeros in front of it are of another packet. */
	CHECK_ONE(9, 0, 0x9d, 1, 2, 3, 4, 0, 0, 0, 0, ASYNC);
}

static void test_none(void)
{
	static const uint8_t almost[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xf7}, other[] = {ASYNC};
	uint8_t end[] = {ASYNC};
	size_t at = 0;

	CHECK(!next_of(almost, sizeof(almost), 5, &at));
	at = 0;
	CHECK(!next_of(other, sizeof(other) - 1, 5, &at));
	at = 0;
	CHECK(!next_of(other, 0, 0, &at));
	end[11] = 0x81;
	at = 0;
	CHECK(!next_of(end, sizeof(end), 12, &at));
	/* From the second byte on it is none. */
	at = 1;
	CHECK(!next_of(other, sizeof(other), 12, &at));
}

static void test_times(void)
{
	CHECK_ONE(0, 0x1234, ASYNC, INFO, TIME_OF(0x1234));
	CHECK_ONE(0, 5, ASYNC, INFO, 0x02, 5);
	CHECK_ONE(0, 5, ASYNC, INFO, 0x03, 5, 9);
	CHECK_ONE(0, 0xff00000000000001ull, ASYNC, INFO, 0x02, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		  0xff);
	/* Cut off, or behind what is of unknown length. */
	CHECK_ONE(0, 0, ASYNC, INFO, 0x02, 0x85);
	CHECK_ONE(0, 0, ASYNC, INFO, 0x02);
	CHECK_ONE(0, 0, ASYNC, INFO, 0x0c, 1, 0x02, 5);
	CHECK_ONE(0, 0, ASYNC, INFO, 0x85, 1, 2, 3);
}

/* Each packet that may come in front of a time stamp. */
static void test_packets(void)
{
	CHECK_ONE(0, 7, ASYNC, 0x01, 0x80 | 0x0f, 0x00, 1, 0x82, 2, 3, 0x84, 4, 0x02, 7);
	CHECK_ONE(0, 7, ASYNC, INFO, 0x04, 0x02, 7);
	CHECK_ONE(0, 7, ASYNC, INFO, 0x70, 0x71, 0x7f, 0x80, 0x88, 0x02, 7);
	CHECK_ONE(0, 7, ASYNC, INFO, 0x81, 0x31, 0x02, 7);
	CHECK_ONE(0, 7, ASYNC, INFO, 0x81, 0xf1, 2, 2, 2, 2, 3, 3, 3, 3, 0x02, 7);
	CHECK_ONE(0, 7, ASYNC, INFO, 0x85, 2, 2, 2, 2, 2, 2, 2, 2, 0x80, 3, 3, 3, 3, 0x02, 7);
	CHECK_ONE(0, 7, ASYNC, INFO, 0x82, 2, 2, 2, 2, 0x31, 0x02, 7);
	CHECK_ONE(0, 7, ASYNC, INFO, 0x06, 0x1c, 0x06, 0x9c, 1, 0x90, 0x95, 2, 0x96, 0x82, 2, 0x02, 7);
	CHECK_ONE(0, 7, ASYNC, INFO, 0x9a, 2, 2, 2, 2, 0x9d, 2, 2, 2, 2, 2, 2, 2, 2, 0x02, 7);
	CHECK_ONE(0, 7, ASYNC, INFO, 0xb0, 0xb4, 2, 0xb6, 2, 2, 2, 2, 0xb9, 2, 2, 2, 2, 2, 2, 2, 2, 0x02, 7);
	CHECK_ONE(0, 7, ASYNC, INFO, 0xc0, 0xff, 0xf7, 0x2d, 0x83, 2, 0x30, 0x3f, 0x00, 0x05, 0x00, 0x03,
		  0x02, 7);
	CHECK_ONE(0, 0, ASYNC, INFO, 0x00, 0x07, 0x02, 7);
}

static void test_several(void)
{
	static const uint8_t bytes[] = {ASYNC, INFO, 0x02, 1, 0xf7, ASYNC, INFO, 0xf7, ASYNC, 0x02, 3};
	size_t at = 0;

	CHECK(next_of(bytes, sizeof(bytes), 14, &at));
	CHECK_EQ(sync_at.at, 0);
	CHECK_EQ(sync_at.time, 1);
	CHECK(next_of(bytes, sizeof(bytes), 14, &at));
	CHECK_EQ(sync_at.at, 18);
	CHECK(!sync_at.has_time); /* that of the next is not its own */
	CHECK(next_of(bytes, sizeof(bytes), 14, &at));
	CHECK_EQ(sync_at.at, 34);
	CHECK_EQ(sync_at.time, 3);
	CHECK(!next_of(bytes, sizeof(bytes), 14, &at));
}

int main(void)
{
	test_places();
	test_none();
	test_times();
	test_packets();
	test_several();
	return check__done();
}
