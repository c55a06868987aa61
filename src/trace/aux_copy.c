// SPDX-License-Identifier: GPL-2.0-only
#include "trace/aux_copy.h"

#include <string.h>

#define PIECE_MAX (1u << 20)

/*
 * The newest bytes of a running unit may be in memory before older ones: arch/x86/events/intel/pt.c,
 * pt_config_stop(), has a fence for that. No unit holds back as many bytes as this.
 */
#define LATE_MAX 4096

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns the part [@at, @at + @len) of what is copied. */
static struct aux_piece part_of(const struct aux_copy *copy, size_t at, size_t len)
{
	struct aux_piece part = copy->from;

	aux_piece__keep_last(&part, aux_piece__len(&part) - at);
	aux_piece__keep_first(&part, len);
	return part;
}

/* Returns the number of bytes that are not copied yet. */
static size_t rest(const struct aux_copy *copy)
{
	return aux_piece__len(&copy->from) - copy->done;
}

static void copy_next(struct aux_copy *copy, size_t len)
{
	const struct aux_piece part = part_of(copy, copy->done, len);

	aux_piece__copy(&part, copy->to + copy->done);
	copy->piece = copy->done;
	copy->done += len;
}

/* Returns the begin of the last sync point with a time, LATE_MAX to AUX_COPY_GUARD bytes before @end; @end if
 * none. */
static size_t last_time(const struct aux_copy *copy, size_t end)
{
	size_t begin = end - AUX_COPY_GUARD, at = 0, last = AUX_COPY_GUARD;
	struct span guard[2] = {{copy->to + begin, AUX_COPY_GUARD}};
	struct aux_sync sync;

	while (copy->pos->next_sync(guard, &at, &sync))
		if (sync.has_time && sync.at + LATE_MAX <= AUX_COPY_GUARD)
			last = sync.at;
	return begin + last;
}

void aux_copy__begin(struct aux_copy *copy, const struct aux_position *pos, const uint8_t *aux,
		     const struct aux_piece *found, uint8_t *to)
{
	*copy = (struct aux_copy){.pos = pos, .aux = aux, .from = *found, .to = to};
	copy_next(copy, min_size(rest(copy), AUX_COPY_GUARD));
	if (!aux_copy__is_done(copy) && last_time(copy, copy->done) == copy->done)
		copy_next(copy, rest(copy));
}

bool aux_copy__is_done(const struct aux_copy *copy)
{
	return !rest(copy);
}

/* Tells whether the writer has not passed the begin of the last piece; to be asked after that was copied. */
static bool was_in_time(const struct aux_copy *copy)
{
	size_t from = last_time(copy, copy->piece), len = copy->piece - from;
	const struct aux_piece now = part_of(copy, from, len);

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return len && aux_piece__equals(&now, copy->to + from);
}

/* The pieces grow with the distance that the writer has to make up. */
bool aux_copy__step(struct aux_copy *copy)
{
	copy_next(copy, min_size(rest(copy), min_size(copy->done, PIECE_MAX)));
	return was_in_time(copy);
}

void aux_copy__finish(struct aux_copy *copy, uint64_t head)
{
	size_t gap = copy->pos->size - aux_piece__len(&copy->from), written;
	struct aux_piece since;

	aux_new__find(copy->pos, copy->aux, head, &since);
	written = aux_piece__len(&since);
	if (written > gap && written - gap > copy->piece)
		copy->lost = written - gap;
	if (copy->lost > copy->done)
		copy->done = copy->lost;
	copy_next(copy, rest(copy));
}

struct aux_piece aux_copy__piece(const struct aux_copy *copy)
{
	const size_t len = aux_piece__len(&copy->from);
	struct aux_piece piece = copy->from;

	piece.data[0] = (struct span){copy->to, len};
	piece.data[1] = (struct span){0};
	aux_piece__keep_last(&piece, len - copy->lost);
	return piece;
}
