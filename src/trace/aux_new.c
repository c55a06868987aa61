// SPDX-License-Identifier: GPL-2.0-only
#include "trace/aux_new.h"

#include <string.h>

static size_t min_size(uint64_t a, size_t b)
{
	return a < b ? (size_t)a : b;
}

/* Returns the @len bytes that the buffer has in front of the head of the last look. */
static struct aux_piece before_head(const struct aux_position *pos, const uint8_t *aux, size_t len)
{
	struct aux_piece piece = {0};

	aux_piece__set_data(&piece, aux, pos->size, pos->written - len, len);
	return piece;
}

/* Tells whether the writer came past the old head again and so wrote the @len bytes in front of it. */
static bool has_lapped(const struct aux_position *pos, const uint8_t *aux, size_t len)
{
	struct aux_piece piece = before_head(pos, aux, min_size(len, AUX_REFERENCE_MAX));
	struct aux_sync sync;
	size_t at = 0;

	if (!aux_piece__equals(&piece, pos->newest + AUX_REFERENCE_MAX - aux_piece__len(&piece)))
		return true;
	piece = before_head(pos, aux, min_size(len, AUX_SEARCH_MAX));
	while (pos->next_sync(piece.data, &at, &sync)) {
		if (!pos->looked)
			return true;
		if (sync.has_time)
			return aux_time__later(sync.time, pos->time);
	}
	return false;
}

void aux_position__init(struct aux_position *pos, size_t size, enum aux_head kind, aux_sync_fn next_sync)
{
	*pos = (struct aux_position){.size = size, .kind = kind, .next_sync = next_sync};
}

void aux_new__find(const struct aux_position *pos, const uint8_t *aux, uint64_t head, struct aux_piece *ret)
{
	uint64_t passed = head - pos->written;
	size_t len;

	if (pos->kind == AUX_HEAD_OFFSET) {
		passed &= pos->size - 1;
		if (has_lapped(pos, aux, pos->size - (size_t)passed))
			passed += pos->size;
	}
	len = min_size(passed, pos->size);
	aux_piece__set_data(ret, aux, pos->size, pos->written + passed - len, len);
}

void aux_position__note(struct aux_position *pos, const uint8_t *aux, const struct aux_piece *seen)
{
	size_t len = min_size(AUX_REFERENCE_MAX, pos->size);
	struct aux_piece newest;

	pos->looked = true;
	pos->time = seen->reference;
	pos->written = aux_piece__end(seen);
	newest = before_head(pos, aux, len);
	aux_piece__copy(&newest, pos->newest + AUX_REFERENCE_MAX - len);
}

void aux_new__cut(struct aux_piece *piece, aux_sync_fn next_sync, uint64_t since)
{
	size_t all = aux_piece__len(piece), from = all, at = 0;
	bool later = false;
	struct aux_sync sync;

	while (!later && next_sync(piece->data, &at, &sync)) {
		later = sync.has_time && aux_time__later(sync.time, since);
		if (from == all || (sync.has_time && !later))
			from = sync.at;
	}
	aux_piece__keep_last(piece, all - from);
}

void aux_new__cut_all(struct aux_piece *piece, aux_sync_fn next_sync, uint64_t since)
{
	const size_t all = aux_piece__len(piece);
	size_t from = all, earlier = 0, at = 0;
	struct aux_sync sync;

	while (next_sync(piece->data, &at, &sync)) {
		if (!sync.has_time)
			continue;
		if (aux_time__later(since, sync.time)) {
			earlier = sync.at + 1;
			from = all;
		} else if (from == all && sync.at >= earlier) {
			from = sync.at;
		}
	}
	aux_piece__keep_last(piece, all - from);
}
