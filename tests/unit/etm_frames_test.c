// SPDX-License-Identifier: GPL-2.0-only
/* Sync points in CoreSight's frames: whose bytes are whose, and from where a decoder can read them. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "trace/cs_etm/frames.h"

#define MAX 8192
#define NR_SOURCES 3

/* What the sources send, in the order in which the formatter gets it. */
struct sent {
	struct {
		uint8_t id, byte;
	} bytes[MAX];
	size_t nr;
};

struct framed {
	uint8_t bytes[2 * MAX];
	size_t len;
};

static void send(struct sent *s, uint8_t id, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		s->bytes[s->nr].id = id;
		s->bytes[s->nr++].byte = bytes[i];
	}
}

#define SEND(s, id, ...) \
	send((s), (id), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define ASYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
#define TIME_OF(x) 0x02, 0x80 | ((x)&0x7f), (x) >> 7 /* of 14 bits */
#define INFO 0x01, 0x01, 0x00

/* What is missing at the end is of no source. */
static uint8_t id_at(const struct sent *s, size_t i)
{
	return i < s->nr ? s->bytes[i].id : 0;
}

static uint8_t byte_at(const struct sent *s, size_t i)
{
	return i < s->nr ? s->bytes[i].byte : 0;
}

/* One pair of a frame, or its last, single byte: an ID if there is a change among the next two bytes. */
static void put_pair(const struct sent *s, size_t *at, uint8_t *id, uint8_t *frame, unsigned int i)
{
	const bool later = i < 14 && id_at(s, *at) == *id;
	const uint8_t next = id_at(s, *at + later);

	if (next == *id) {
		frame[i] = byte_at(s, *at) & ~1;
		frame[15] |= (uint8_t)((byte_at(s, *at) & 1) << i / 2);
		(*at)++;
	} else {
		frame[i] = (uint8_t)(next << 1 | 1);
		frame[15] |= (uint8_t)(later << i / 2);
		*id = next;
	}
	if (i < 14)
		frame[i + 1] = byte_at(s, (*at)++);
}

static void put_frames(const struct sent *s, struct framed *f)
{
	uint8_t id = 0;

	for (size_t at = 0; at < s->nr; f->len += ETM_FRAME) {
		memset(f->bytes + f->len, 0, ETM_FRAME);
		for (unsigned int i = 0; i < 15; i += 2)
			put_pair(s, &at, &id, f->bytes + f->len, i);
	}
}

static bool next_of(const struct framed *f, size_t from, size_t seam, size_t *at, struct aux_sync *ret)
{
	const struct span data[2] = {{f->bytes + from, seam}, {f->bytes + from + seam, f->len - from - seam}};

	return etm_frames__next(data, at, ret);
}

/* That they have these and no others, wherever the buffer's end is. */
static void check_syncs(const struct framed *f, const struct aux_sync *syncs, size_t nr)
{
	struct aux_sync sync;

	for (size_t seam = 0; seam <= f->len; seam++) {
		size_t at = 0;

		for (size_t i = 0; i < nr; i++) {
			if (!CHECK(next_of(f, 0, seam, &at, &sync)))
				return;
			CHECK_EQ(sync.at, syncs[i].at);
			CHECK_EQ(sync.has_time, syncs[i].has_time);
			CHECK_EQ(sync.time, syncs[i].time);
		}
		CHECK(!next_of(f, 0, seam, &at, &sync));
		CHECK_EQ(at, f->len);
	}
}

static void test_one_source(void)
{
	static const struct aux_sync syncs[] = {{0, 5, true}, {0, 300, true}, {0, 0, false}};
	struct sent s = {.nr = 0};
	struct framed f = {.len = 0};

	SEND(&s, 0x10, ASYNC, INFO, TIME_OF(5), 0xf7, 0xf7, 0xf7);
	SEND(&s, 0x10, 0xf7, ASYNC, INFO, TIME_OF(300), 0xf7, ASYNC);
	put_frames(&s, &f);
	CHECK_EQ(f.len, 64);
	/* The first frame alone tells whose the bytes are. */
	check_syncs(&f, syncs, ARRAY_SIZE(syncs));
}

/* Byte by byte they take turns. */
static void test_mixed(void)
{
	static const uint8_t of_a[] = {ASYNC, INFO, TIME_OF(7), 0xf7},
			     of_b[] = {ASYNC, INFO, TIME_OF(9), 0xf7};
	static const struct aux_sync syncs[] = {{0, 7, true}, {0, 9, true}};
	struct sent s = {.nr = 0};
	struct framed f = {.len = 0};

	for (size_t i = 0; i < sizeof(of_a); i++) {
		SEND(&s, 0x10, of_a[i]);
		SEND(&s, 0x12, of_b[i]);
	}
	put_frames(&s, &f);
	check_syncs(&f, syncs, ARRAY_SIZE(syncs));
}

/* Behind another source a source's ID is told anew: from there it can be read. */
static void test_place(void)
{
	static const struct aux_sync syncs[] = {{0, 7, true}, {32, 9, true}};
	struct sent s = {.nr = 0};
	struct framed f = {.len = 0};

	SEND(&s, 0x10, ASYNC, INFO, TIME_OF(7));
	while (s.nr < 43)
		SEND(&s, 0x10, 0xf7);
	SEND(&s, 0x12, ASYNC, INFO, TIME_OF(9));
	put_frames(&s, &f);
	check_syncs(&f, syncs, ARRAY_SIZE(syncs));
}

static void test_none(void)
{
	struct sent s = {.nr = 0};
	struct framed f = {.len = 0};

	SEND(&s, 0x10, 0, 0, 0, 0, 0, 0);
	SEND(&s, 0x12, 0, 0, 0, 0, 0, 0x80);
	SEND(&s, 0x10, 0x80);
	SEND(&s, 0x7d, ASYNC); /* a trigger, not a source */
	SEND(&s, 0, ASYNC);
	put_frames(&s, &f);
	check_syncs(&f, NULL, 0);
	f.len = 0;
	check_syncs(&f, NULL, 0);
}

/* What the driver puts where the buffer was full: nobody's bytes, and behind them an ID is waited for. */
static void test_barrier(void)
{
	static const uint8_t barrier[] = {0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
					  0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f};
	static const struct aux_sync whole[] = {{0, 0, false}, {32, 9, true}};
	struct sent s = {.nr = 0};
	struct framed f = {.len = 0};

	for (int i = 0; i < 16; i++)
		SEND(&s, 0x10, 0xf7);
	SEND(&s, 0x10, ASYNC, 0xf7);
	SEND(&s, 0x12, ASYNC, TIME_OF(9));
	put_frames(&s, &f);
	check_syncs(&f, whole, 2);
	memcpy(f.bytes, barrier, sizeof(barrier));
	check_syncs(&f, whole + 1, 1);
}

/* The traces of sources in pieces of any size: each sync point is found once, and again from its place on. */
static void test_random(unsigned int seed)
{
	struct sent s = {.nr = 0};
	struct framed f = {.len = 0};
	struct aux_sync sync, again;
	uint8_t waiting[NR_SOURCES][32];
	size_t left[NR_SOURCES] = {0}, nr = 0, at = 0, found = 0, from;

	srand(seed);
	while (s.nr < MAX - 64) {
		const unsigned int i = (unsigned int)rand() % NR_SOURCES;
		const uint8_t id = (uint8_t)(0x10 + 2 * i);

		for (int n = rand() % 40; n >= 0; n--) {
			const uint8_t packets[] = {ASYNC, INFO, TIME_OF((nr + 1))};

			if (left[i]) {
				send(&s, id, waiting[i] + sizeof(packets) - left[i]--, 1);
			} else if (rand() % 300) {
				SEND(&s, id, 0xf7);
			} else {
				memcpy(waiting[i], packets, sizeof(packets));
				left[i] = sizeof(packets);
				nr++;
			}
		}
	}
	for (unsigned int i = 0; i < NR_SOURCES; i++)
		send(&s, (uint8_t)(0x10 + 2 * i), waiting[i] + 18 - left[i], left[i]);
	put_frames(&s, &f);
	for (; next_of(&f, 0, f.len / 2, &at, &sync); found++) {
		CHECK(sync.has_time);
		CHECK_EQ(sync.at % ETM_FRAME, 0);
		from = 0;
		do
			if (!CHECK(next_of(&f, sync.at, 0, &from, &again)))
				return;
		while (again.time != sync.time);
	}
	CHECK(nr > 10);
	CHECK_EQ(found, nr);
}

int main(void)
{
	test_one_source();
	test_mixed();
	test_place();
	test_none();
	test_barrier();
	for (unsigned int seed = 0; seed < 200; seed++)
		test_random(seed);
	return check__done();
}
