// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "perfdata/record.h"

#define ROUND_RECORDS 4096

struct ring {
	struct span records;
	size_t pos; /* the end of @next */
	const struct perf_event_header *next;
	uint64_t time; /* time of @next; a record without one keeps that of the one before */
};

static void ring__advance(struct ring *ring, uint64_t sample_type, struct merge_stats *stats)
{
	uint64_t time;

	ring->next = record__next(ring->records, &ring->pos);
	if (!ring->next) {
		stats->bad_bytes += ring->records.len - ring->pos;
		return;
	}
	time = record__time(ring->next, sample_type);
	if (time)
		ring->time = time;
}

static struct ring *ring__earliest(struct ring *rings, unsigned int nr)
{
	struct ring *best = NULL;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (rings[i].next && (!best || rings[i].time < best->time))
			best = &rings[i];
	return best;
}

static void merge__count(struct merge_stats *stats, const struct ring *ring)
{
	stats->nr_records++;
	if (!ring->time)
		return;
	if (!stats->first || ring->time < stats->first)
		stats->first = ring->time;
	if (ring->time > stats->last)
		stats->last = ring->time;
}

static int merge__finish_round(const struct merge_sink *sink)
{
	const struct perf_event_header round = {.type = RECORD_FINISHED_ROUND, .size = sizeof(round)};

	return sink->add(sink->ctx, (struct span){&round, sizeof(round)});
}

int merge__rings(const struct span *spans, unsigned int nr, uint64_t sample_type,
		 const struct merge_sink *sink, struct merge_stats *stats)
{
	_cleanup_free_ struct ring *rings = calloc(nr + 1, sizeof(*rings));
	struct ring *ring;
	unsigned int i;
	int err = 0;

	*stats = (struct merge_stats){0};
	if (!rings)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		rings[i].records = spans[i];
		ring__advance(&rings[i], sample_type, stats);
	}
	while (!err && (ring = ring__earliest(rings, nr))) {
		merge__count(stats, ring);
		err = sink->add(sink->ctx, (struct span){ring->next, ring->next->size});
		ring__advance(ring, sample_type, stats);
		if (!err && stats->nr_records % ROUND_RECORDS == 0)
			err = merge__finish_round(sink);
	}
	return err ? err : merge__finish_round(sink);
}
