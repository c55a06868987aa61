// SPDX-License-Identifier: GPL-2.0-only
/*
 * A copy that races with the writer: whatever the writer does between two steps, what comes out is the end of
 * what had been written when the copy began, and all of it unless the writer was faster.
 */
#include <stdlib.h>

#include "check.h"
#include "trace/aux_copy.h"
#include "trace/intel_pt/sync.h"

#define SIZE (1u << 20)
#define PERIOD 5000 /* bytes from one sync point to the next */

/* A trace unit. A tick passes with each byte. */
struct writer {
	uint8_t aux[SIZE];
	struct buf trace; /* all that was ever written */
	uint64_t random;
	bool times;
};

static uint64_t next_random(struct writer *w)
{
	w->random = w->random * 6364136223846793005u + 1442695040888963407u;
	return w->random >> 33;
}

static void put(struct writer *w, uint8_t byte)
{
	w->aux[w->trace.len % SIZE] = byte;
	buf__add(&w->trace, &byte, 1);
}

static void put_sync(struct writer *w)
{
	uint64_t packet = (uint64_t)w->trace.len << 8 | 0x19;

	for (unsigned int i = 0; i < 8; i++) {
		put(w, 0x02);
		put(w, 0x82);
	}
	for (unsigned int i = 0; w->times && i < 8; i++)
		put(w, packet >> 8 * i & 0xff);
	put(w, 0x02);
	put(w, 0x23);
}

/* The payload says nothing: only the times differ. */
static void go_on(struct writer *w, size_t nr)
{
	for (size_t end = w->trace.len + nr; w->trace.len < end;) {
		if (w->trace.len % PERIOD == 0)
			put_sync(w);
		else
			put(w, 0x55);
	}
}

static struct writer *new_writer(uint64_t seed, bool times)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (!w)
		abort();
	w->random = seed;
	w->times = times;
	return w;
}

static void free_writer(struct writer *w)
{
	buf__release(&w->trace);
	free(w);
}

struct result {
	size_t len;	/* of what was new */
	size_t got;	/* of that */
	size_t at_once; /* copied before the writer went on */
	unsigned int stops;
	bool right; /* it is the end of what had been written */
};

/* A snapshot, during which the writer writes @speed bytes before each step. */
static struct result take(struct writer *w, struct aux_position *pos, uint8_t *to, size_t speed)
{
	size_t end = w->trace.len;
	struct result ret = {0};
	struct aux_copy copy;
	struct aux_piece found = {.cpu = 3, .reference = end}, copied;

	aux_new__find(pos, w->aux, end % SIZE, &found);
	aux_position__note(pos, w->aux, &found);
	aux_copy__begin(&copy, pos, w->aux, &found, to);
	ret.len = aux_piece__len(&copy.from);
	ret.at_once = copy.done;
	while (!aux_copy__is_done(&copy)) {
		go_on(w, speed ? next_random(w) % (2 * speed) : 0);
		if (aux_copy__step(&copy))
			continue;
		ret.stops++;
		aux_copy__finish(&copy, w->trace.len % SIZE);
	}
	copied = aux_copy__piece(&copy);
	CHECK_EQ(copied.cpu, 3);
	CHECK_EQ(copied.reference, end);
	CHECK_EQ(aux_piece__end(&copied), aux_piece__end(&found));
	ret.got = aux_piece__len(&copied);
	ret.right = ret.got <= end && aux_piece__equals(&copied, w->trace.data + end - ret.got);
	return ret;
}

static void test_speeds(void)
{
	static const size_t speeds[] = {0, 1000, 50000, 100000, 300000, SIZE, 3 * SIZE};
	uint8_t *to = malloc(SIZE);

	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++) {
		struct writer *w = new_writer(i, true);
		struct aux_position pos;
		unsigned int stops = 0;

		aux_position__init(&pos, SIZE, AUX_HEAD_OFFSET, pt_sync__next);
		for (unsigned int n = 0; n < 10; n++) {
			struct result r;

			go_on(w, next_random(w) % (2 * SIZE));
			r = take(w, &pos, to, speeds[i]);
			CHECK(r.right);
			CHECK(r.got == r.len || r.stops == 1);
			CHECK(r.at_once == r.len || r.at_once == AUX_COPY_GUARD);
			stops += r.stops;
		}
		/* A slow writer never wins, a fast one does. */
		CHECK(speeds[i] > 1000 || !stops);
		CHECK(speeds[i] < SIZE || stops);
		free_writer(w);
	}
	free(to);
}

/* The writer has won, but has taken only what was copied in time: nothing is lost. */
static void test_nothing_lost(void)
{
	struct writer *w = new_writer(1, true);
	uint8_t *to = malloc(SIZE);
	struct aux_position pos;
	struct aux_copy copy;
	struct aux_piece found = {0};

	aux_position__init(&pos, SIZE, AUX_HEAD_OFFSET, pt_sync__next);
	go_on(w, 2 * SIZE);
	aux_new__find(&pos, w->aux, w->trace.len % SIZE, &found);
	found.reference = w->trace.len;
	aux_position__note(&pos, w->aux, &found);
	aux_copy__begin(&copy, &pos, w->aux, &found, to);
	CHECK_EQ(aux_piece__len(&copy.from), SIZE);
	go_on(w, AUX_COPY_GUARD - 100);
	CHECK(!aux_copy__step(&copy));
	aux_copy__finish(&copy, w->trace.len % SIZE);
	CHECK(aux_copy__is_done(&copy));
	found = aux_copy__piece(&copy);
	CHECK_EQ(aux_piece__len(&found), SIZE);
	free(to);
	free_writer(w);
}

/* What memory shows of the bytes from @back to @less before the writer's: what was there a lap ago. */
static void hide(struct writer *w, size_t back, size_t less)
{
	for (size_t at = w->trace.len - back; at < w->trace.len - less; at++)
		w->aux[at % SIZE] = w->trace.data[at - SIZE];
}

/* The writer is in the piece already, and of what it wrote in front of it nothing can be seen yet. */
static void test_late_stores(void)
{
	uint8_t *to = malloc(SIZE);

	for (size_t shift = 0; shift < PERIOD; shift += 50) {
		struct writer *w = new_writer(3, true);
		struct aux_position pos;
		struct aux_copy copy;
		struct aux_piece found = {0};

		aux_position__init(&pos, SIZE, AUX_HEAD_OFFSET, pt_sync__next);
		go_on(w, 2 * SIZE + shift);
		aux_new__find(&pos, w->aux, w->trace.len % SIZE, &found);
		found.reference = w->trace.len;
		aux_position__note(&pos, w->aux, &found);
		aux_copy__begin(&copy, &pos, w->aux, &found, to);
		go_on(w, AUX_COPY_GUARD + 64);
		hide(w, 1024, 64);
		CHECK(!aux_copy__step(&copy));
		free_writer(w);
	}
	free(to);
}

/* Without times nothing proves who was first: the writer waits. */
static void test_no_times(void)
{
	struct writer *w = new_writer(2, false);
	uint8_t *to = malloc(SIZE);
	struct aux_position pos;

	aux_position__init(&pos, SIZE, AUX_HEAD_OFFSET, pt_sync__next);
	go_on(w, SIZE / 2);
	CHECK_EQ(take(w, &pos, to, 1000).at_once, w->trace.len);
	free(to);
	free_writer(w);
}

int main(void)
{
	test_speeds();
	test_nothing_lost();
	test_late_stores();
	test_no_times();
	return check__done();
}
