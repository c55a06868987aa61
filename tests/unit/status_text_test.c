// SPDX-License-Identifier: GPL-2.0-only
/* The status line: what it says, and that it stays short. */
#include "check.h"
#include "summary/status_text.h"

static void check_text(struct status_text s, const char *wanted)
{
	char text[128];

	status_text__format(&s, text, sizeof(text));
	CHECK_STREQ(text, wanted);
}

static void test_begin(void)
{
	check_text((struct status_text){0}, "armed 0:00, seen 0, snapshots 0, missed 0, 0 bytes, blind 0 us");
	check_text((struct status_text){.armed = 59999999999, .seen = 1, .bytes = 1023, .blind = 999},
		   "armed 0:59, seen 1, snapshots 0, missed 0, 1023 bytes, blind 1.0 us");
}

static void test_units(void)
{
	const struct status_text s = {
		.armed = 3723000000000,
		.seen = 123456,
		.snapshots = 200,
		.missed = 3,
		.bytes = 5 << 20,
		.blind = 81500000,
	};

	check_text(s, "armed 1:02:03, seen 123456, snapshots 200, missed 3, 5.0 MiB, blind 82 ms");
	check_text((struct status_text){.bytes = 1024, .blind = 3723000000000},
		   "armed 0:00, seen 0, snapshots 0, missed 0, 1.0 KiB, blind 3723 s");
}

static void test_stream(void)
{
	const struct stream_text s = {.time = 61000000000, .bytes = 200 << 20, .rate = 1536, .gaps = 2};
	char text[160];

	stream_text__format(&s, text, sizeof(text));
	CHECK_STREQ(text, "tracing 1:01, 200 MiB, 1.5 KiB/s, lost 2 times");
}

static void test_decode(void)
{
	struct decode_text s = {.file = "a.data", .time = 7900000000};
	char text[160], cut[24];

	decode_text__format(&s, text, sizeof(text));
	CHECK_STREQ(text, "decoding, 0:07: a.data");
	s = (struct decode_text){.file = "a.data", .part = 1, .parts = 1, .time = 67000000000, .all = 1000};
	decode_text__format(&s, text, sizeof(text));
	CHECK_STREQ(text, "decoding, 0%, 1:07: a.data");
	s = (struct decode_text){.file = "dir/b.data", .part = 3, .parts = 20, .done = 999, .all = 1000};
	decode_text__format(&s, text, sizeof(text));
	CHECK_STREQ(text, "decoding 3 of 20, 99%, 0:00: dir/b.data");
	/* A decoder that has gone astray. */
	s.done = UINT64_MAX - 5;
	decode_text__format(&s, text, sizeof(text));
	CHECK_STREQ(text, "decoding 3 of 20, 100%, 0:00: dir/b.data");
	decode_text__format(&s, cut, sizeof(cut));
	CHECK_STREQ(cut, "decoding 3 of 20, 100%,");
}

static void test_longest(void)
{
	const struct stream_text stream = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	const struct status_text s = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	char text[256];

	status_text__format(&s, text, sizeof(text));
	CHECK(strlen(text) < 160);
	stream_text__format(&stream, text, sizeof(text));
	CHECK(strlen(text) < 160);
}

int main(void)
{
	test_begin();
	test_units();
	test_stream();
	test_decode();
	test_longest();
	return check__done();
}
