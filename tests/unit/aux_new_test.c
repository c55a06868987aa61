// SPDX-License-Identifier: GPL-2.0-only
/*
 * New bytes of an overwritten buffer, against a model of the writer that knows how much it wrote: no byte
 * twice, none missed that is still there, however often the writer lapped.
 */
#include <stdlib.h>

#include "check.h"
#include "trace/aux_new.h"
#include "trace/intel_pt/sync.h"

#define SIZE 16384 /* several times what is saved for comparison */

/* A trace unit: random bytes, a PSB with a time every so often. A tick passes with each byte. */
struct writer {
	uint8_t aux[SIZE];
	struct buf trace; /* all that was ever written */
	size_t size;	  /* of the buffer in use */
	size_t psb_period;
	uint64_t tsc;
	uint64_t random;
};

static uint64_t next_random(struct writer *w)
{
	w->random = w->random * 6364136223846793005u + 1442695040888963407u;
	return w->random >> 33;
}

static void put(struct writer *w, uint8_t byte)
{
	w->aux[w->trace.len & (w->size - 1)] = byte;
	buf__add(&w->trace, &byte, 1);
	w->tsc++;
}

static void put_sync(struct writer *w, bool timed)
{
	uint64_t packet = w->tsc << 8 | 0x19;

	for (unsigned int i = 0; i < 8; i++) {
		put(w, 0x02);
		put(w, 0x82);
	}
	for (unsigned int i = 0; timed && i < 8; i++)
		put(w, packet >> 8 * i & 0xff);
	put(w, 0x02);
	put(w, 0x23);
}

/* At least @nr bytes: a sync point is written whole. */
static void put_random(struct writer *w, size_t nr)
{
	size_t end = w->trace.len + nr;

	while (w->trace.len < end) {
		if (w->psb_period && w->trace.len % w->psb_period == 0)
			put_sync(w, true);
		else
			put(w, next_random(w) & 0xff);
	}
}

static uint64_t head_of(const struct writer *w, enum aux_head kind)
{
	return kind == AUX_HEAD_COUNT ? w->trace.len : w->trace.len & (w->size - 1);
}

/* The piece is what the writer wrote last. */
static bool is_tail(const struct writer *w, const struct aux_piece *new)
{
	return !aux_piece__len(new) ||
	       aux_piece__equals(new, w->trace.data + w->trace.len - aux_piece__len(new));
}

static struct aux_piece look(struct writer *w, struct aux_position *pos)
{
	struct aux_piece new = {.reference = w->tsc++};

	aux_new__find(pos, w->aux, head_of(w, pos->kind), &new);
	aux_position__note(pos, w->aux, &new);
	return new;
}

/* Looks after random amounts, up to three laps. */
static void run(struct writer *w, enum aux_head kind, unsigned int looks)
{
	struct aux_position pos;

	aux_position__init(&pos, w->size, kind, pt_sync__next);
	for (unsigned int i = 0; i < looks; i++) {
		size_t before = w->trace.len, expect;
		struct aux_piece new;

		put_random(w, next_random(w) % 3 ? next_random(w) % (3 * w->size) : next_random(w) % 64);
		new = look(w, &pos);
		expect = w->trace.len - before;
		CHECK_EQ(aux_piece__len(&new), expect < w->size ? expect : w->size);
		CHECK(is_tail(w, &new));
		CHECK_EQ(aux_piece__end(&new) & (w->size - 1), w->trace.len & (w->size - 1));
		CHECK(aux_piece__end(&new) <= w->trace.len);
		CHECK_EQ(pos.written, aux_piece__end(&new));
	}
	if (kind == AUX_HEAD_COUNT)
		CHECK_EQ(pos.written, w->trace.len);
}

static void test_model(enum aux_head kind)
{
	static const size_t periods[] = {128, 600, 3000, 0};

	for (size_t i = 0; i < ARRAY_SIZE(periods); i++)
		for (size_t size = 512; size <= SIZE; size *= 2) {
			struct writer w = {.size = size,
					   .psb_period = periods[i],
					   .tsc = ((uint64_t)1 << 56) - 100000, /* its 56 bits overflow */
					   .random = i * 100 + size};

			run(&w, kind, 200);
			buf__release(&w.trace);
		}
}

static void test_idle_and_whole_laps(void)
{
	struct writer w = {.size = SIZE, .psb_period = 512, .tsc = 1};
	struct aux_position pos;
	struct aux_piece new;

	aux_position__init(&pos, SIZE, AUX_HEAD_OFFSET, pt_sync__next);
	new = look(&w, &pos);
	CHECK_EQ(aux_piece__len(&new), 0);
	CHECK_EQ(aux_piece__end(&new), 0);
	while (w.trace.len < SIZE)
		put(&w, next_random(&w) & 0xff);
	new = look(&w, &pos);
	CHECK_EQ(aux_piece__len(&new), SIZE);
	CHECK_EQ(aux_piece__end(&new), SIZE);
	new = look(&w, &pos);
	CHECK_EQ(aux_piece__len(&new), 0);
	CHECK_EQ(aux_piece__end(&new), SIZE);
	while (w.trace.len < 3 * SIZE)
		put(&w, next_random(&w) & 0xff);
	new = look(&w, &pos);
	CHECK_EQ(aux_piece__len(&new), SIZE);
	CHECK_EQ(aux_piece__end(&new), 2 * SIZE); /* two laps look like one */
	buf__release(&w.trace);
}

/* The writer left the same bytes as before: only the time of a sync point tells. */
static void test_same_bytes(bool syncs, size_t expect)
{
	struct writer w = {.size = SIZE, .tsc = 1};
	struct aux_position pos;
	struct aux_piece new;

	aux_position__init(&pos, SIZE, AUX_HEAD_OFFSET, pt_sync__next);
	for (unsigned int i = 0; i < 2; i++) {
		size_t end = w.trace.len + SIZE;

		if (syncs)
			put_sync(&w, true);
		while (w.trace.len < end - 8)
			put(&w, 0x06);
		while (w.trace.len < end)
			put(&w, 0x0d);
		new = look(&w, &pos);
	}
	CHECK_EQ(aux_piece__len(&new), expect);
	buf__release(&w.trace);
}

/* A byte that is not zero where nothing was written yet would be taken for a lap: zeros are the reference. */
static void test_first_lap_without_sync(void)
{
	struct writer w = {.size = SIZE, .tsc = 1};
	struct aux_position pos;
	struct aux_piece new;

	aux_position__init(&pos, SIZE, AUX_HEAD_OFFSET, pt_sync__next);
	put_random(&w, SIZE + 100);
	aux_new__find(&pos, w.aux, 100, &new);
	CHECK_EQ(aux_piece__len(&new), SIZE);
	CHECK(is_tail(&w, &new));
	/* Zeros at the end of the lap: its sync point tells, though at the time 0 nobody had looked. */
	memset(w.aux + SIZE / 2, 0, SIZE / 2);
	w.tsc = (uint64_t)1 << 55; /* in 56 bits earlier than 0 */
	put_sync(&w, true);
	w.trace.len = SIZE + 100;
	CHECK(!memcmp(w.aux + 100, "\x02\x82", 2));
	aux_new__find(&pos, w.aux, 100, &new);
	CHECK_EQ(aux_piece__len(&new), SIZE);
	buf__release(&w.trace);
}

/* Syncs at 10, 60 (time 100), 110 (time 200), 160 (none), 210 (time 300). */
static void fill_for_cut(struct writer *w)
{
	static const uint64_t times[] = {50, 100, 200, 0, 300};

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		while (w->trace.len < 10 + 50 * i)
			put(w, 0x0d);
		w->tsc = times[i];
		put_sync(w, times[i]);
	}
	while (w->trace.len < 256)
		put(w, 0x0d);
}

typedef void (*cut_fn)(struct aux_piece *piece, aux_sync_fn next_sync, uint64_t since);

static void check_cut(const struct writer *w, cut_fn cut, uint64_t since, size_t from)
{
	for (size_t seam = 0; seam <= 256; seam++) {
		struct aux_piece piece = {.offset = 7, .data = {{w->aux, seam}, {w->aux + seam, 256 - seam}}};
		const struct span *data = piece.data;

		cut(&piece, pt_sync__next, since);
		CHECK_EQ(piece.offset, 7 + from);
		CHECK_EQ(aux_piece__end(&piece), 7 + 256);
		CHECK(!data[0].len || data[0].data == w->aux + from);
		CHECK(!data[1].len || (const uint8_t *)data[1].data + data[1].len == w->aux + 256);
	}
}

static void test_cut(void)
{
	struct writer w = {.size = SIZE};
	struct aux_piece piece = {0};

	fill_for_cut(&w);
	check_cut(&w, aux_new__cut, 60, 10);
	check_cut(&w, aux_new__cut, 100, 60);
	check_cut(&w, aux_new__cut, 199, 60);
	check_cut(&w, aux_new__cut, 299, 110); /* the one without a time may be later */
	check_cut(&w, aux_new__cut, 1000, 210);
	check_cut(&w, aux_new__cut, 10, 10); /* all are later */
	aux_new__cut(&piece, pt_sync__next, 10);
	CHECK_EQ(piece.data[0].len, 0);
	piece.data[0] = (struct span){w.aux + 11, 49};
	aux_new__cut(&piece, pt_sync__next, 1000);
	CHECK_EQ(piece.data[0].len, 0);
	CHECK_EQ(piece.data[1].len, 0);
	buf__release(&w.trace);
}

static void test_cut_all(void)
{
	struct writer w = {.size = SIZE};

	fill_for_cut(&w);
	check_cut(&w, aux_new__cut_all, 10, 10);
	check_cut(&w, aux_new__cut_all, 51, 60);
	check_cut(&w, aux_new__cut_all, 100, 60);
	check_cut(&w, aux_new__cut_all, 101, 110);
	check_cut(&w, aux_new__cut_all, 201, 210); /* the one without a time may be earlier */
	check_cut(&w, aux_new__cut_all, 301, 256);
	buf__release(&w.trace);
}

/* The sync points of two sources of one buffer: at each byte one with this time, 0 for none. */
static bool next_of_two(const struct span data[2], size_t *at, struct aux_sync *ret)
{
	const uint8_t *bytes = data[0].data;

	while (*at < data[0].len && !bytes[*at])
		++*at;
	if (*at >= data[0].len)
		return false;
	*ret = (struct aux_sync){.at = *at, .time = bytes[*at], .has_time = true};
	++*at;
	return true;
}

static void test_cut_all_of_two(void)
{
	static const uint8_t times[] = {10, 0, 30, 0, 20, 40, 0, 60, 50, 0};
	static const size_t from[][2] = {{10, 0}, {20, 2}, {25, 5}, {40, 5}, {45, 7}, {55, 10}, {60, 10}};
	struct aux_piece piece = {0};

	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		piece.data[0] = (struct span){times, sizeof(times)};
		aux_new__cut_all(&piece, next_of_two, from[i][0]);
		CHECK_EQ(piece.data[0].len, sizeof(times) - from[i][1]);
	}
}

static void test_cut_without_times(void)
{
	struct writer w = {.size = SIZE};
	struct aux_piece piece = {0};

	put(&w, 0x0d);
	put_sync(&w, false);
	put_sync(&w, false);
	piece.data[0] = (struct span){w.aux, w.trace.len};
	aux_new__cut(&piece, pt_sync__next, 1000);
	CHECK_EQ(piece.data[0].len, w.trace.len - 1);
	buf__release(&w.trace);
}

int main(void)
{
	test_model(AUX_HEAD_OFFSET);
	test_model(AUX_HEAD_COUNT);
	test_idle_and_whole_laps();
	test_same_bytes(true, SIZE);
	test_same_bytes(false, 0);
	test_first_lap_without_sync();
	test_cut();
	test_cut_all();
	test_cut_all_of_two();
	test_cut_without_times();
	return check__done();
}
