// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_moves.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "perfdata/record.h"

static int compare(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* Entries that were never written are 0. */
void gate_moves__sort(uint64_t *ring, size_t size, struct gate_moves *ret)
{
	size_t empty = 0;

	qsort(ring, size, sizeof(*ring), compare);
	while (empty < size && !ring[empty])
		empty++;
	*ret = (struct gate_moves){.all = ring + empty, .nr = size - empty, .complete = empty};
}

struct moment {
	const struct gate_moves *moves;
	uint64_t time;
};

static bool is_until(const void *ctx, size_t i)
{
	const struct moment *m = ctx;

	return m->moves->all[i] >> 1 <= m->time;
}

/* The number of moves until @time. */
static size_t count_until(const struct gate_moves *moves, uint64_t time)
{
	return bounds__lower(moves->nr, is_until, &(struct moment){moves, time});
}

bool gate_moves__was_open(const struct gate_moves *moves, uint64_t time)
{
	size_t nr = count_until(moves, time);

	return nr && moves->all[nr - 1] & 1;
}

uint64_t gate_moves__since(const struct gate_moves *moves)
{
	return moves->complete || !moves->nr ? 0 : moves->all[0] >> 1;
}

/*
 * Whether the gate was surely closed at @time: no move is within @slack, because the gate was open on one
 * side of each move. After @now there may be moves that are not known.
 */
static bool was_closed(const struct gate_moves *moves, uint64_t slack, uint64_t now, uint64_t time)
{
	const uint64_t from = time - slack, until = time + slack;

	return time > slack && until < now && gate_moves__since(moves) < from &&
	       !gate_moves__was_open(moves, from) && count_until(moves, from) == count_until(moves, until);
}

/* Adds the stretch of records @closed, and begins another one at @next. */
static int end_stretch(struct span *closed, const struct perf_event_header *next, struct buf *to)
{
	int err = closed->len ? record__add_idle(to, *closed) : 0;

	*closed = (struct span){(const uint8_t *)next, 0};
	return err;
}

/*
 * Goes through stretches of records from when the gate was closed: the last switch of a stretch tells who ran
 * when the gate opened. A stretch ends at a record from when the gate was open, and where the gate was open
 * between two records.
 */
int gate_moves__filter(const struct gate_moves *moves, uint64_t slack, uint64_t now, struct span records,
		       uint64_t sample_type, struct buf *to)
{
	const struct perf_event_header *record;
	struct span closed = {records.data, 0};
	size_t pos = 0, moved = 0;
	int err = 0;

	while (!err && (record = record__next(records, &pos))) {
		const uint64_t time = record__time(record, sample_type);
		const size_t nr = count_until(moves, time);
		const bool open = !was_closed(moves, slack, now, time);

		if (open || nr != moved)
			err = end_stretch(&closed, record, to);
		moved = nr;
		if (!open) {
			closed.len += record->size;
			continue;
		}
		buf__add(to, record, record->size);
		closed.data = (const uint8_t *)records.data + pos;
	}
	if (!err && closed.len)
		err = record__add_idle(to, closed);
	return err ?: buf__error(to) ?: pos == records.len ? 0 : -EBADMSG;
}
