// SPDX-License-Identifier: GPL-2.0-only
#include "sideband/kernel_log.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/record.h"

/* A log of fewer bytes is not worth compacting. */
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

/* The subject of a record. Of two records with the same subject the later one holds. */
struct subject {
	uint32_t type;
	uint32_t len;
	uint64_t at;
};

struct entry {
	struct subject subject;
	size_t pos;
	size_t size;
	bool gone; /* the subject no longer exists */
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

/*
 * Code that gets memory of its own, such as a trampoline, has no old bytes when it comes and no new ones when
 * it goes.
 */
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
		e.subject.at = pos; /* no other record has this subject */
	return e;
}

static int by_subject(const void *a, const void *b)
{
	const struct subject *x = &((const struct entry *)a)->subject;
	const struct subject *y = &((const struct entry *)b)->subject;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->len < y->len ? -1 : x->len > y->len;
}

static int by_pos(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->pos < y->pos ? -1 : 1;
}

static int by_subject_and_pos(const void *a, const void *b)
{
	return by_subject(a, b) ?: by_pos(a, b);
}

/* Makes entries of all records, sorted by subject. Returns 0 or -ENOMEM. */
static int sort_entries(struct span records, struct entry **ret, size_t *nr)
{
	const struct perf_event_header *record;
	size_t pos = 0, begin = 0;

	*nr = 0;
	while (record__next(records, &pos))
		++*nr;
	*ret = calloc(*nr + 1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (*nr = pos = 0; (record = record__next(records, &pos)); begin = pos)
		(*ret)[(*nr)++] = entry_of(record, begin);
	qsort(*ret, *nr, sizeof(**ret), by_subject_and_pos);
	return 0;
}

/* Moves those entries that hold to the front, in order of time. @all is sorted. Returns how many they are. */
static size_t keep_holding(struct entry *all, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (!all[i].gone && (i + 1 == nr || by_subject(&all[i], &all[i + 1])))
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
	_cleanup_free_ struct entry *all = NULL;
	size_t nr, to = 0;
	int err = sort_entries(buf__span(&log->records), &all, &nr);

	if (err)
		return err;
	nr = keep_holding(all, nr);
	for (size_t i = 0; i < nr; to += all[i++].size)
		memmove(log->records.data + to, log->records.data + all[i].pos, all[i].size);
	buf__truncate(&log->records, to);
	buf__shrink(&log->records);
	log->live = to;
	return 0;
}

/*
 * Tells whether a record is about a BPF program. Trampolines have KSYMBOLs, too, but no list of programs has
 * them.
 */
static bool is_of_program(const struct perf_event_header *record)
{
	const char *name = record__ksymbol_name(record);

	if (record->type == PERF_RECORD_BPF_EVENT)
		return record->size >= sizeof(struct bpf_event);
	return name && !strncmp(name, "bpf_prog_", 9);
}

static void add_end(struct buf *b, const struct perf_event_header *record)
{
	const uint16_t unload = PERF_BPF_EVENT_PROG_UNLOAD, unregister = PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	const size_t at = b->len;

	buf__add(b, record, record->size);
	if (record->type == PERF_RECORD_KSYMBOL)
		buf__put_at(b, at + offsetof(struct ksymbol, flags), &unregister, sizeof(unregister));
	else
		buf__put_at(b, at + offsetof(struct bpf_event, type), &unload, sizeof(unload));
}

/* Entries of records, sorted by subject. */
struct sorted {
	struct span records;
	struct entry *all;
	size_t nr;
};

static void sorted__release(struct sorted *s)
{
	free(s->all);
}

static int sort(struct span records, struct sorted *ret)
{
	ret->records = records;
	return sort_entries(records, &ret->all, &ret->nr);
}

static bool has(const struct sorted *s, const struct entry *e)
{
	return bsearch(e, s->all, s->nr, sizeof(*e), by_subject);
}

static const struct perf_event_header *record_at(const struct sorted *s, size_t i)
{
	return (const void *)((const uint8_t *)s->records.data + s->all[i].pos);
}

int kernel_log__find_missed(struct span known, struct span living, struct span told, struct buf *b)
{
	_cleanup_(sorted__release) struct sorted then = {0}, now = {0}, later = {0};
	int err = sort(known, &then) ?: sort(living, &now) ?: sort(told, &later);

	if (err)
		return err;
	for (size_t i = 0; i < now.nr; i++)
		if (!has(&then, &now.all[i]) && !has(&later, &now.all[i]))
			buf__add(b, record_at(&now, i), now.all[i].size);
	for (size_t i = 0; i < then.nr; i++)
		if (is_of_program(record_at(&then, i)) && !has(&now, &then.all[i]) &&
		    !has(&later, &then.all[i]))
			add_end(b, record_at(&then, i));
	return 0;
}

void kernel_log__release(struct kernel_log *log)
{
	buf__release(&log->records);
	log->live = 0;
}
