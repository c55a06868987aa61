// SPDX-License-Identifier: GPL-2.0-only
#include "sideband/text_pokes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/record.h"

struct poke {
	uint64_t time;
	const struct perf_event_header *record;
};

/* The begin of a record; the old bytes follow, then the new ones. */
struct poke_head {
	struct perf_event_header header;
	uint64_t addr;
	uint16_t old_len;
	uint16_t new_len;
} __attribute__((packed));

int text_pokes__add(struct text_pokes *pokes, struct span records)
{
	const struct perf_event_header *record;
	size_t pos = 0;

	while ((record = record__next(records, &pos)))
		if (record->type == PERF_RECORD_TEXT_POKE)
			buf__add(&pokes->records, record, record->size);
	return buf__error(&pokes->records);
}

static int by_time_backwards(const void *a, const void *b)
{
	const struct poke *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	return x->record < y->record ? 1 : -1; /* records of one ring are in order */
}

static int undo(const struct poke *poke, text_pokes_fn write, void *ctx)
{
	const char *bytes = (const char *)poke->record + sizeof(struct poke_head);
	struct poke_head head;

	if (poke->record->size < sizeof(head))
		return -EBADMSG;
	memcpy(&head, poke->record, sizeof(head));
	if ((size_t)head.old_len + head.new_len > head.header.size - sizeof(head))
		return -EBADMSG;
	return write(ctx, head.addr, (struct span){bytes, head.old_len});
}

int text_pokes__undo(const struct text_pokes *pokes, uint64_t sample_type, uint64_t since,
		     text_pokes_fn write, void *ctx)
{
	const struct span records = buf__span(&pokes->records);
	const struct perf_event_header *record;
	_cleanup_free_ struct poke *all = NULL;
	size_t nr = 0, pos = 0;
	int err = 0;

	while (record__next(records, &pos))
		nr++;
	if (!nr)
		return 0;
	all = calloc(nr, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (pos = 0, nr = 0; (record = record__next(records, &pos)); nr++)
		all[nr] = (struct poke){record__time(record, sample_type), record};
	qsort(all, nr, sizeof(*all), by_time_backwards);
	for (size_t i = 0; !err && i < nr && all[i].time >= since; i++)
		err = undo(&all[i], write, ctx);
	return err;
}

void text_pokes__release(struct text_pokes *pokes)
{
	buf__release(&pokes->records);
}
