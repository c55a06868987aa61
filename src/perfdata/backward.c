// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/backward.h"

#include <string.h>

#include "perfdata/record.h"

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

/* A sample begins with its event's id: PERF_SAMPLE_IDENTIFIER is set. */
static bool takes(const struct backward_filter *filter, const struct perf_event_header *record,
		  uint64_t sample_type, uint64_t time)
{
	uint64_t id;

	if (!filter || record->type != PERF_RECORD_SAMPLE || record->size < sizeof(*record) + sizeof(id))
		return true;
	memcpy(&id, record + 1, sizeof(id));
	return filter->takes(filter->ctx, record__pid(record, sample_type), id, time);
}

/* Returns the length of the records that are taken, and counts them. */
static size_t measure(struct span records, uint64_t sample_type, uint64_t since,
		      const struct backward_filter *filter, struct backward_stats *stats)
{
	const struct perf_event_header *record;
	size_t pos = 0, len = 0;
	uint64_t time;

	while ((record = record__next(records, &pos))) {
		time = record__time(record, sample_type);
		if (time < since)
			break;
		stats->seen = pos;
		if (!takes(filter, record, sample_type, time))
			continue;
		count(stats, record, time);
		len += record->size;
	}
	return len;
}

size_t backward__reverse(struct span records, uint64_t sample_type, uint64_t since,
			 const struct backward_filter *filter, struct buf *to, struct backward_stats *stats)
{
	const struct perf_event_header *record;
	size_t pos = 0, at, len;

	*stats = (struct backward_stats){0};
	len = measure(records, sample_type, since, filter, stats);
	buf__add(to, NULL, len);
	if (buf__error(to))
		return 0;
	records.len = stats->seen;
	at = to->len;
	while ((record = record__next(records, &pos))) {
		if (!takes(filter, record, sample_type, record__time(record, sample_type)))
			continue;
		at -= record->size;
		buf__put_at(to, at, record, record->size);
	}
	return len;
}
