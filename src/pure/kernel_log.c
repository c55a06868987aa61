// SPDX-License-Identifier: GPL-2.0-only
#include "pure/kernel_log.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pure/record.h"

/* Below that it is not worth a look. */
#define MIN_LEN (16u << 10)

struct ksymbol {
	struct perf_event_header header;
	uint64_t addr;
	uint32_t len;
	uint16_t type;
	uint16_t flags;
} __attribute__((packed));

struct bpf_event {
	struct perf_event_header header;
	uint16_t type;
	uint16_t flags;
	uint32_t id;
} __attribute__((packed));

struct text_poke {
	struct perf_event_header header;
	uint64_t addr;
	uint16_t old_len;
	uint16_t new_len;
} __attribute__((packed));

/* What a record is about: of two with the same the later one holds. */
struct subject {
	uint32_t type;
	uint32_t len;
	uint64_t at;
};

struct entry {
	struct subject subject;
	size_t pos;
	size_t size;
	bool gone; /* nothing is there from then on */
};

int kernel_log__add(struct kernel_log *log, struct span records)
{
	buf__add(&log->records, records.data, records.len);
	return buf__error(&log->records);
}

static void note_ksymbol(struct entry *e, const struct perf_event_header *record)
{
	struct ksymbol s;

	memcpy(&s, record, sizeof(s));
	e->subject.at = s.addr;
	e->gone = s.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
}

static void note_bpf_event(struct entry *e, const struct perf_event_header *record)
{
	struct bpf_event b;

	memcpy(&b, record, sizeof(b));
	e->subject.at = b.id;
	e->gone = b.type == PERF_BPF_EVENT_PROG_UNLOAD;
}

/* Code in a place of its own, such as a trampoline's, has no old bytes as it comes and no new ones as it goes. */
static void note_text_poke(struct entry *e, const struct perf_event_header *record)
{
	struct text_poke t;

	memcpy(&t, record, sizeof(t));
	e->subject.at = t.addr;
	e->subject.len = t.old_len > t.new_len ? t.old_len : t.new_len;
	e->gone = !t.new_len;
}

static struct entry entry_of(const struct perf_event_header *record, size_t pos)
{
	struct entry e = {.subject = {.type = record->type}, .pos = pos, .size = record->size};

	if (record->type == PERF_RECORD_KSYMBOL && record->size >= sizeof(struct ksymbol))
		note_ksymbol(&e, record);
	else if (record->type == PERF_RECORD_BPF_EVENT && record->size >= sizeof(struct bpf_event))
		note_bpf_event(&e, record);
	else if (record->type == PERF_RECORD_TEXT_POKE && record->size >= sizeof(struct text_poke))
		note_text_poke(&e, record);
	else
		e.subject.at = pos; /* there is no other like it */
	return e;
}

static int by_subject(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->subject.type != y->subject.type)
		return x->subject.type < y->subject.type ? -1 : 1;
	if (x->subject.at != y->subject.at)
		return x->subject.at < y->subject.at ? -1 : 1;
	if (x->subject.len != y->subject.len)
		return x->subject.len < y->subject.len ? -1 : 1;
	return x->pos < y->pos ? -1 : 1;
}

static int by_pos(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->pos < y->pos ? -1 : 1;
}

static bool is_same(const struct subject *a, const struct subject *b)
{
	return a->type == b->type && a->at == b->at && a->len == b->len;
}

/* Moves those that hold to the front, in order of time. Returns how many. */
static size_t keep_holding(struct entry *all, size_t nr)
{
	size_t kept = 0;

	qsort(all, nr, sizeof(*all), by_subject);
	for (size_t i = 0; i < nr; i++)
		if (!all[i].gone && (i + 1 == nr || !is_same(&all[i].subject, &all[i + 1].subject)))
			all[kept++] = all[i];
	qsort(all, kept, sizeof(*all), by_pos);
	return kept;
}

bool kernel_log__is_due(const struct kernel_log *log)
{
	return log->records.len >= MIN_LEN && log->records.len / 2 >= log->live;
}

int kernel_log__compact(struct kernel_log *log)
{
	const struct span records = buf__span(&log->records);
	const struct perf_event_header *record;
	_cleanup_free_ struct entry *all = NULL;
	size_t nr = 0, pos = 0, begin = 0, to = 0;

	while (record__next(records, &pos))
		nr++;
	all = calloc(nr + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (nr = pos = 0; (record = record__next(records, &pos)); begin = pos)
		all[nr++] = entry_of(record, begin);
	nr = keep_holding(all, nr);
	for (size_t i = 0; i < nr; to += all[i++].size)
		memmove(log->records.data + to, log->records.data + all[i].pos, all[i].size);
	buf__truncate(&log->records, to);
	buf__shrink(&log->records);
	log->live = to;
	return 0;
}

void kernel_log__release(struct kernel_log *log)
{
	buf__release(&log->records);
	log->live = 0;
}
