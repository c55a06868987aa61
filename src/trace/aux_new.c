// SPDX-License-Identifier: GPL-2.0-only
#include "trace/aux_new.h"

#include <string.h>

static size_t min_size(uint64_t a, size_t b)
{
	return a < b ? (size_t)a : b;
}

/* Returns the @len bytes of the buffer from @from on, which may go around its end. */
static void take_around(const uint8_t *aux, size_t size, uint64_t from, size_t len, struct span ret[2])
{
	size_t at = from & (size - 1), first = min_size(len, size - at);

	ret[0] = (struct span){aux + at, first};
	ret[1] = (struct span){aux, len - first};
}

static bool is_reference(const struct aux_position *pos, const uint8_t *aux, size_t len)
{
	const uint8_t *reference = pos->newest + AUX_REFERENCE_MAX - len;
	struct span now[2];

	take_around(aux, pos->size, pos->head - len, len, now);
	return !memcmp(now[0].data, reference, now[0].len) &&
	       !memcmp(now[1].data, reference + now[0].len, now[1].len);
}

/* Tells whether the writer came past the old head again and so wrote the @len bytes in front of it. */
static bool has_lapped(const struct aux_position *pos, const uint8_t *aux, size_t len)
{
	struct span data[2];
	struct aux_sync sync;
	size_t at = 0;

	if (!is_reference(pos, aux, min_size(len, AUX_REFERENCE_MAX)))
		return true;
	len = min_size(len, AUX_SEARCH_MAX);
	take_around(aux, pos->size, pos->head - len, len, data);
	while (pos->next_sync(data, &at, &sync)) {
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

void aux_new__find(const struct aux_position *pos, const uint8_t *aux, uint64_t head, struct aux_new *ret)
{
	uint64_t passed = head - pos->head;
	size_t len;

	if (pos->kind == AUX_HEAD_OFFSET) {
		passed &= pos->size - 1;
		if (has_lapped(pos, aux, pos->size - (size_t)passed))
			passed += pos->size;
	}
	*ret = (struct aux_new){.head = head, .end = pos->written + passed};
	len = min_size(passed, pos->size);
	take_around(aux, pos->size, head - len, len, ret->data);
}

void aux_position__note(struct aux_position *pos, const uint8_t *aux, const struct aux_new *seen,
			uint64_t time)
{
	size_t len = min_size(AUX_REFERENCE_MAX, pos->size);
	uint8_t *reference = pos->newest + AUX_REFERENCE_MAX - len;
	struct span newest[2];

	take_around(aux, pos->size, seen->head - len, len, newest);
	memcpy(reference, newest[0].data, newest[0].len);
	memcpy(reference + newest[0].len, newest[1].data, newest[1].len);
	pos->looked = true;
	pos->head = seen->head;
	pos->time = time;
	pos->written = seen->end;
}

uint64_t aux_new__begin(const struct aux_new *new)
{
	return new->end - new->data[0].len - new->data[1].len;
}

static void drop(struct span *data, size_t len)
{
	data->data = (const uint8_t *)data->data + len;
	data->len -= len;
}

static void drop_front(struct span data[2], size_t len)
{
	drop(&data[1], len - min_size(len, data[0].len));
	drop(&data[0], min_size(len, data[0].len));
}

void aux_new__cut(struct span data[2], aux_sync_fn next_sync, uint64_t since)
{
	size_t all = data[0].len + data[1].len, from = all, at = 0;
	bool later = false;
	struct aux_sync sync;

	while (!later && next_sync(data, &at, &sync)) {
		later = sync.has_time && aux_time__later(sync.time, since);
		if (from == all || (sync.has_time && !later))
			from = sync.at;
	}
	drop_front(data, from);
}

void aux_new__cut_all(struct span data[2], aux_sync_fn next_sync, uint64_t since)
{
	const size_t all = data[0].len + data[1].len;
	size_t from = all, earlier = 0, at = 0;
	struct aux_sync sync;

	while (next_sync(data, &at, &sync)) {
		if (!sync.has_time)
			continue;
		if (aux_time__later(since, sync.time)) {
			earlier = sync.at + 1;
			from = all;
		} else if (from == all && sync.at >= earlier) {
			from = sync.at;
		}
	}
	drop_front(data, from);
}
