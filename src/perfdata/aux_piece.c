// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/aux_piece.h"

#include <string.h>

#include "perfdata/record.h"

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

struct aux_piece aux_piece__of_cpu(int cpu, uint32_t idx)
{
	return (struct aux_piece){.cpu = cpu, .idx = idx, .tid = -1};
}

size_t aux_piece__len(const struct aux_piece *piece)
{
	return piece->data[0].len + piece->data[1].len;
}

uint64_t aux_piece__end(const struct aux_piece *piece)
{
	return piece->offset + aux_piece__len(piece);
}

void aux_piece__set_data(struct aux_piece *piece, const uint8_t *buffer, size_t size, uint64_t from,
			 size_t len)
{
	size_t at = from & (size - 1), first = min_size(len, size - at);

	piece->offset = from;
	piece->data[0] = (struct span){buffer + at, first};
	piece->data[1] = (struct span){buffer, len - first};
}

void aux_piece__keep_first(struct aux_piece *piece, size_t len)
{
	len = min_size(len, aux_piece__len(piece));
	piece->data[0].len = min_size(len, piece->data[0].len);
	piece->data[1].len = len - piece->data[0].len;
}

static void drop(struct span *data, size_t len)
{
	data->data = (const uint8_t *)data->data + len;
	data->len -= len;
}

void aux_piece__keep_last(struct aux_piece *piece, size_t len)
{
	size_t all = aux_piece__len(piece), old = all - min_size(len, all);
	size_t first = min_size(old, piece->data[0].len);

	drop(&piece->data[0], first);
	drop(&piece->data[1], old - first);
	piece->offset += old;
}

void aux_piece__copy(const struct aux_piece *piece, uint8_t *to)
{
	if (piece->data[0].len)
		memcpy(to, piece->data[0].data, piece->data[0].len);
	if (piece->data[1].len)
		memcpy(to + piece->data[0].len, piece->data[1].data, piece->data[1].len);
}

bool aux_piece__equals(const struct aux_piece *piece, const uint8_t *bytes)
{
	const struct span *first = &piece->data[0], *second = &piece->data[1];

	return (!first->len || !memcmp(first->data, bytes, first->len)) &&
	       (!second->len || !memcmp(second->data, bytes + first->len, second->len));
}

uint64_t aux_piece__room(const struct aux_piece *piece, size_t tail)
{
	return ((uint64_t)aux_piece__len(piece) + tail + 7) & ~UINT64_C(7);
}

void aux_piece__add_record(const struct aux_piece *piece, size_t tail, struct buf *b)
{
	size_t at = record__begin(b, RECORD_AUXTRACE, 0);

	buf__add_u64(b, aux_piece__room(piece, tail));
	buf__add_u64(b, piece->offset);
	buf__add_u64(b, piece->reference);
	buf__add_u32(b, piece->idx);
	buf__add_u32(b, (uint32_t)piece->tid);
	buf__add_u32(b, (uint32_t)piece->cpu);
	buf__add_u32(b, 0);
	record__end(b, at, 0);
}
