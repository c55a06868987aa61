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

/* Returns the part [@from, @from + @len) of the data, which may lie around the end of the buffer. */
static void part_of(const struct aux_copy *copy, size_t from, size_t len, struct span ret[2])
{
	size_t first = copy->data[0].len, skip = min_size(from, first), here = min_size(len, first - skip);

	ret[0] = (struct span){(const uint8_t *)copy->data[0].data + skip, here};
	ret[1] = (struct span){(const uint8_t *)copy->data[1].data + (from - skip), len - here};
}

static void copy_next(struct aux_copy *copy, size_t len)
{
	uint8_t *to = copy->to + copy->done;
	struct span part[2];

	part_of(copy, copy->done, len, part);
	if (part[0].len)
		memcpy(to, part[0].data, part[0].len);
	if (part[1].len)
		memcpy(to + part[0].len, part[1].data, part[1].len);
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
		     const struct aux_new *found, uint8_t *to)
{
	*copy = (struct aux_copy){
		.pos = pos,
		.aux = aux,
		.data = {found->data[0], found->data[1]},
		.to = to,
		.len = found->data[0].len + found->data[1].len,
	};
	copy_next(copy, min_size(copy->len, AUX_COPY_GUARD));
	if (!aux_copy__is_done(copy) && last_time(copy, copy->done) == copy->done)
		copy_next(copy, copy->len - copy->done);
}

bool aux_copy__is_done(const struct aux_copy *copy)
{
	return copy->done == copy->len;
}

/* Tells whether the writer has not passed the begin of the last piece; to be asked after that was copied. */
static bool was_in_time(const struct aux_copy *copy)
{
	size_t from = last_time(copy, copy->piece), len = copy->piece - from;
	const uint8_t *was = copy->to + from;
	struct span now[2];

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	part_of(copy, from, len, now);
	return len && !memcmp(now[0].data, was, now[0].len) &&
	       (!now[1].len || !memcmp(now[1].data, was + now[0].len, now[1].len));
}

/* The pieces grow with the distance that the writer has to make up. */
bool aux_copy__step(struct aux_copy *copy)
{
	copy_next(copy, min_size(copy->len - copy->done, min_size(copy->done, PIECE_MAX)));
	return was_in_time(copy);
}

void aux_copy__finish(struct aux_copy *copy, uint64_t head)
{
	size_t gap = copy->pos->size - copy->len, written;
	struct aux_new since;

	aux_new__find(copy->pos, copy->aux, head, &since);
	written = since.data[0].len + since.data[1].len;
	if (written > gap && written - gap > copy->piece)
		copy->lost = written - gap;
	if (copy->lost > copy->done)
		copy->done = copy->lost;
	copy_next(copy, copy->len - copy->done);
}

struct span aux_copy__data(const struct aux_copy *copy)
{
	return (struct span){copy->to + copy->lost, copy->len - copy->lost};
}
