// SPDX-License-Identifier: GPL-2.0-only
/* A piece of AUX data, wherever the end of the buffer lies in it: what is kept of it, and where that belongs. */
#include "check.h"
#include "perfdata/aux_piece.h"
#include "perfdata/record.h"

#define SIZE 16

static const uint8_t buffer[] = "0123456789abcdef";

/* Checks that the piece has the @len bytes of the trace from @from on, of which those in the buffer are copies. */
static void check(const struct aux_piece *piece, uint64_t from, size_t len)
{
	uint8_t bytes[SIZE + 1] = {0}, expect[SIZE + 1] = {0};

	for (size_t i = 0; i < len; i++)
		expect[i] = buffer[(from + i) % SIZE];
	CHECK_EQ(piece->offset, from);
	CHECK_EQ(aux_piece__len(piece), len);
	CHECK_EQ(aux_piece__end(piece), from + len);
	aux_piece__copy(piece, bytes);
	CHECK(!memcmp(bytes, expect, sizeof(bytes)));
	CHECK(aux_piece__equals(piece, expect));
	for (size_t i = 0; i < len; i++) {
		expect[i] ^= 1;
		CHECK(!aux_piece__equals(piece, expect));
		expect[i] ^= 1;
	}
}

static void test_of_cpu(void)
{
	const struct aux_piece piece = aux_piece__of_cpu(5, 3);

	CHECK_EQ(piece.cpu, 5);
	CHECK_EQ(piece.idx, 3);
	CHECK_EQ(piece.tid, -1);
	check(&piece, 0, 0);
}

/* Each piece that a buffer can hold, and each part that can be kept of it. */
static void test_keep(void)
{
	for (uint64_t from = 100 * SIZE; from < 101 * SIZE; from++)
		for (size_t len = 0; len <= SIZE; len++)
			for (size_t keep = 0; keep <= SIZE + 1; keep++) {
				struct aux_piece piece = aux_piece__of_cpu(0, 0);
				size_t kept = keep < len ? keep : len;

				aux_piece__set_data(&piece, buffer, SIZE, from, len);
				check(&piece, from, len);
				aux_piece__keep_first(&piece, keep);
				check(&piece, from, kept);
				aux_piece__set_data(&piece, buffer, SIZE, from, len);
				aux_piece__keep_last(&piece, keep);
				check(&piece, from + len - kept, kept);
			}
}

/* Data that was set anew has nothing of the old one, and it stays the CPU's. */
static void test_set_data(void)
{
	struct aux_piece piece = aux_piece__of_cpu(5, 3);

	piece.reference = 7;
	aux_piece__set_data(&piece, buffer, SIZE, 10, SIZE);
	CHECK(piece.data[0].data == buffer + 10);
	CHECK_EQ(piece.data[0].len, 6);
	CHECK(piece.data[1].data == buffer);
	CHECK_EQ(piece.data[1].len, 10);
	aux_piece__set_data(&piece, buffer, SIZE, 32, 4);
	CHECK(piece.data[0].data == buffer);
	CHECK_EQ(piece.data[0].len, 4);
	CHECK_EQ(piece.data[1].len, 0);
	CHECK_EQ(piece.cpu, 5);
	CHECK_EQ(piece.reference, 7);
}

/* Its record tells of whole words, with what is put behind the piece. */
static void test_record(void)
{
	static const uint8_t rooms[] = {0, 8, 8, 8, 8, 8, 8, 8, 8, 16};
	struct aux_piece piece = aux_piece__of_cpu(5, 3);
	_cleanup_buf_ struct buf b = {0};
	uint64_t words[6];

	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++) {
		aux_piece__set_data(&piece, buffer, SIZE, 14, i / 2);
		CHECK_EQ(aux_piece__room(&piece, i - i / 2), rooms[i]);
	}
	piece.reference = 7;
	aux_piece__add_record(&piece, 5, &b);
	CHECK_EQ(buf__error(&b), 0);
	if (!CHECK_EQ(b.len, sizeof(words)))
		return;
	memcpy(words, b.data, sizeof(words));
	CHECK_EQ(words[0], (uint64_t)sizeof(words) << 48 | RECORD_AUXTRACE);
	CHECK_EQ(words[1], 16);
	CHECK_EQ(words[2], 14);
	CHECK_EQ(words[3], 7);
	CHECK_EQ(words[4], UINT64_C(0xffffffff) << 32 | 3);
	CHECK_EQ(words[5], 5);
}

int main(void)
{
	test_of_cpu();
	test_keep();
	test_set_data();
	test_record();
	return check__done();
}
