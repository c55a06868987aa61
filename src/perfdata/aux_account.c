// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/aux_account.h"

#include "perfdata/record.h"

/* include/uapi/linux/perf_event.h, enum perf_event_type; trailers follow. */
struct record_aux {
	struct perf_event_header header;
	uint64_t offset;
	uint64_t size;
	uint64_t flags;
};

struct record_lost {
	struct perf_event_header header;
	uint64_t id;
	uint64_t lost;
};

static void add_aux(struct aux_account *a, const struct record_aux *r, uint64_t time)
{
	a->truncated += !!(r->flags & PERF_AUX_FLAG_TRUNCATED);
	a->partial += !!(r->flags & PERF_AUX_FLAG_PARTIAL);
	a->collision += !!(r->flags & PERF_AUX_FLAG_COLLISION);
	a->overwrite += !!(r->flags & PERF_AUX_FLAG_OVERWRITE);
	if (r->offset > a->end)
		a->untold += r->offset - a->end;
	a->end = r->offset + r->size;
	a->time = time;
}

void aux_account__add(struct aux_account *a, struct span records, uint64_t sample_type)
{
	const struct perf_event_header *record;
	size_t pos = 0;

	while ((record = record__next(records, &pos))) {
		const void *data = record;

		if (record->type == PERF_RECORD_AUX && record->size >= sizeof(struct record_aux))
			add_aux(a, data, record__time(record, sample_type));
		else if (record->type == PERF_RECORD_LOST && record->size >= sizeof(struct record_lost))
			a->lost += ((const struct record_lost *)data)->lost;
	}
}

void aux_account__gaps(struct span records, struct buf *ends)
{
	const struct perf_event_header *record;
	size_t pos = 0;

	while ((record = record__next(records, &pos))) {
		const struct record_aux *r = (const void *)record;

		if (record->type == PERF_RECORD_AUX && record->size >= sizeof(*r) &&
		    r->flags & PERF_AUX_FLAG_TRUNCATED)
			buf__add_u64(ends, r->offset + r->size);
	}
}
