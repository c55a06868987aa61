// SPDX-License-Identifier: GPL-2.0-only
#include "pure/backward.h"

#include "pure/record.h"

size_t backward__newer(struct span records, uint64_t sample_type, uint64_t until)
{
	const struct perf_event_header *record;
	size_t pos = 0, newer = 0;

	while ((record = record__next(records, &pos)) && record__time(record, sample_type) > until)
		newer = pos;
	return newer;
}

static void count(struct backward_stats *stats, const struct perf_event_header *record, uint64_t time)
{
	stats->first = time;
	stats->nr_samples += record->type == PERF_RECORD_SAMPLE;
	stats->lost += record__lost(record);
}

/* The length of those that stay; they are counted. */
static size_t measure(struct span records, uint64_t sample_type, uint64_t since, struct backward_stats *stats)
{
	const struct perf_event_header *record;
	size_t pos = 0, len = 0;
	uint64_t time;

	while ((record = record__next(records, &pos))) {
		time = record__time(record, sample_type);
		if (time < since)
			break;
		count(stats, record, time);
		len = pos;
	}
	return len;
}

size_t backward__reverse(struct span records, uint64_t sample_type, uint64_t since, struct buf *to,
			 struct backward_stats *stats)
{
	const struct perf_event_header *record;
	size_t pos = 0, at;

	*stats = (struct backward_stats){0};
	records.len = measure(records, sample_type, since, stats);
	buf__add(to, NULL, records.len);
	if (buf__error(to))
		return 0;
	at = to->len;
	while ((record = record__next(records, &pos))) {
		at -= record->size;
		buf__put_at(to, at, record, record->size);
	}
	return records.len;
}
