// SPDX-License-Identifier: GPL-2.0-only
#include "capture/kernel_code/bpf_programs.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "capture/kernel_code/bpf_program.h"
#include "capture/kernel_code/bpf_types.h"
#include "perfdata/record.h"

/* Ids of functions after the first, and of filters, begin here; the kernel counts programs from 1 up. */
#define FIRST_OWN_ID 0x80000000u

/* At most this many seccomp filters are kept, and this much code of them. */
#define MAX_FILTERS 1024u
#define MAX_FILTER_BYTES (4ull << 20)

/* A time before any trace: no trace has a program that was unloaded then. */
#define LONG_AGO 1

struct function {
	uint32_t prog_id;
	uint32_t id; /* in the file */
	uint32_t btf_id;
	uint32_t len;
	uint64_t addr;
	uint64_t gone;	 /* when it was unloaded, 0 if it was not */
	uint64_t filter; /* number of the filter, in the order of finding, from 1 up; 0: none */
	uint64_t prog;	 /* address of the kernel's structure of a filter */
	uint32_t walk;	 /* the last walk that has seen it */
	uint8_t tag[BPF_TAG_SIZE];
	char name[BPF_FUNCTION_NAME_MAX];
	size_t entry; /* offset in bpf_programs.entries */
	size_t entry_len;
};

struct bpf_programs {
	struct buf functions; /* struct function, by the kernel's id */
	struct buf ranges;    /* struct code_range of each function */
	struct buf entries;   /* the entry of each in a file (perfdata/bpf_info.h) */
	struct bpf_types types;
	struct seccomp_filters *filters;
	uint64_t nr_filters; /* how many were found */
	bool gave_way;	     /* some filters gave way, which was logged */
	uint32_t nr_own_ids;
	uint32_t nr_walks; /* through the kernel's list */
};

int bpf_programs__new(struct seccomp_filters *filters, struct bpf_programs **ret)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	(*ret)->filters = filters;
	return 0;
}

void bpf_programs__free(struct bpf_programs *programs)
{
	if (!programs)
		return;
	buf__release(&programs->functions);
	buf__release(&programs->ranges);
	buf__release(&programs->entries);
	bpf_types__release(&programs->types);
	free(programs);
}

static const struct function *first_function(const struct bpf_programs *programs)
{
	return (const struct function *)(const void *)programs->functions.data;
}

/* Like first_function(), for callers that change it. */
static struct function *first_to_change(struct bpf_programs *programs)
{
	return (struct function *)(void *)programs->functions.data;
}

static size_t nr_functions(const struct bpf_programs *programs)
{
	return programs->functions.len / sizeof(struct function);
}

/* Drops filters whose place another one has by now: a reader could not tell them apart. */
static void drop_filters_at(struct bpf_programs *programs, const struct bpf_info *info)
{
	struct function *f = first_to_change(programs);
	bool found = false;

	for (size_t i = 0; i < nr_functions(programs); i++)
		if (f[i].filter && f[i].addr < info->addr + info->code.len &&
		    info->addr < f[i].addr + f[i].len) {
			f[i].gone = LONG_AGO;
			found = true;
		}
	if (found)
		bpf_programs__forget(programs, LONG_AGO + 1);
}

/* Adds a function. @f has what is not in @info. */
static void add_function(struct bpf_programs *programs, struct function *f, const struct bpf_info *info)
{
	const struct code_range range = {info->addr, info->addr + info->code.len};

	drop_filters_at(programs, info);
	f->id = info->id;
	f->btf_id = info->btf_id;
	f->addr = info->addr;
	f->len = (uint32_t)info->code.len;
	f->walk = programs->nr_walks;
	f->entry = programs->entries.len;
	memcpy(f->tag, info->tag, BPF_TAG_SIZE);
	bpf_info__add(&programs->entries, info);
	f->entry_len = programs->entries.len - f->entry;
	buf__add(&programs->functions, f, sizeof(*f));
	buf__add(&programs->ranges, &range, sizeof(range));
}

static void add_functions(struct bpf_programs *programs, const struct bpf_program_copy *p)
{
	for (uint32_t i = 0; i < p->info.nr_jited_ksyms; i++) {
		struct function f = {.prog_id = p->info.id};
		struct bpf_info info;

		bpf_program__function(p, i, f.name, &info);
		if (i)
			info.id = FIRST_OWN_ID + programs->nr_own_ids++;
		add_function(programs, &f, &info);
	}
	if (p->btf)
		bpf_types__add(&programs->types, p->info.btf_id, p->btf);
}

/* Whether the program is known; if so, notes that this walk has seen it. */
static bool see(struct bpf_programs *programs, uint32_t prog_id)
{
	struct function *f = first_to_change(programs);
	bool is_known = false;

	for (size_t i = 0; i < nr_functions(programs); i++)
		if (f[i].prog_id == prog_id) {
			f[i].walk = programs->nr_walks;
			is_known = true;
		}
	return is_known;
}

/*
 * Takes programs that this walk did not see for unloaded. Perhaps no record tells of their end any more: the
 * ring had no room, or the record came before the programs were read, because the kernel takes a program off
 * its list only after that (bpf_prog_put_deferred(), kernel/bpf/syscall.c).
 */
static void note_unseen(struct bpf_programs *programs, uint64_t time)
{
	struct function *f = first_to_change(programs);

	for (size_t i = 0; i < nr_functions(programs); i++)
		if (f[i].walk != programs->nr_walks && !f[i].gone)
			f[i].gone = time;
}

static bool is_copied(const struct bpf_program_copy *p, const struct kcore_layout *copied)
{
	uint32_t i;

	for (i = 0; copied && i < p->info.nr_jited_ksyms; i++) {
		const struct code_range range = {p->addrs[i], p->addrs[i] + p->lens[i]};

		if (kcore_layout__overlaps(copied, &range))
			return true;
	}
	return false;
}

/* Whether the filter is known; if so, notes that this walk has seen it. */
static bool see_filter(struct bpf_programs *programs, const struct auxbpf_filter *filter)
{
	struct function *f = first_to_change(programs), *end = f + nr_functions(programs);

	while (f < end && (f->prog != filter->prog || f->addr != filter->addr || f->len != filter->len))
		f++;
	if (f < end)
		f->walk = programs->nr_walks;
	return f < end;
}

/* Drops the older half of the filters. One that a task still has is found again at the next look. */
static void drop_older_half(struct bpf_programs *programs, uint64_t nr)
{
	struct function *f = first_to_change(programs), *end = f + nr_functions(programs);

	for (uint64_t dropped = 0; f < end && dropped <= nr / 2; f++)
		if (f->filter) {
			f->gone = LONG_AGO;
			dropped++;
		}
	bpf_programs__forget(programs, LONG_AGO + 1);
	if (!programs->gave_way)
		log_warn("there are more than %u seccomp filters, or of %llu MiB: calls through the oldest "
			 "may not "
			 "decode",
			 MAX_FILTERS, MAX_FILTER_BYTES >> 20);
	programs->gave_way = true;
}

static void limit_filters(struct bpf_programs *programs)
{
	const struct function *f = first_function(programs), *end = f + nr_functions(programs);
	uint64_t nr = 0, bytes = 0;

	for (; f < end; f++)
		if (f->filter) {
			nr++;
			bytes += f->len;
		}
	if (nr >= MAX_FILTERS || bytes >= MAX_FILTER_BYTES)
		drop_older_half(programs, nr);
}

static void add_filter(struct bpf_programs *programs, const struct auxbpf_filter *filter, struct span code)
{
	static const uint8_t no_tag[BPF_TAG_SIZE];
	const struct bpf_info info = {
		.id = FIRST_OWN_ID + programs->nr_own_ids++,
		.tag = no_tag,
		.name = "seccomp_filter",
		.addr = filter->addr,
		.code = code,
	};
	struct function f = {
		.prog_id = info.id,
		.filter = ++programs->nr_filters,
		.prog = filter->prog,
		.name = "seccomp_filter",
	};

	limit_filters(programs);
	add_function(programs, &f, &info);
}

struct filter_reader {
	struct bpf_programs *programs;
	const struct kcore_layout *copied;
};

static bool is_wanted(const struct filter_reader *r, const struct auxbpf_filter *filter)
{
	const struct code_range range = {filter->addr, filter->addr + filter->len};

	if (see_filter(r->programs, filter))
		return false;
	if (!r->copied || !kcore_layout__overlaps(r->copied, &range))
		return true;
	log_debug("a seccomp filter has taken the place of a BPF program");
	return false;
}

static void take_filter(void *ctx, const struct auxbpf_filter *filter, struct span code)
{
	const struct filter_reader *r = ctx;

	if (is_wanted(r, filter))
		add_filter(r->programs, filter, code);
}

static void read_filter(const struct filter_reader *r, const struct auxbpf_filter *filter)
{
	struct span code;
	int err;

	if (!is_wanted(r, filter))
		return;
	err = seccomp_filters__read(r->programs->filters, filter, &code);
	if (err)
		log_debug("a seccomp filter has no code to be seen: %s", strerror(-err));
	else
		add_filter(r->programs, filter, code);
}

static int read_filters(struct bpf_programs *programs, const struct kcore_layout *copied)
{
	struct filter_reader r = {programs, copied};
	_cleanup_buf_ struct buf list = {0};
	const struct auxbpf_filter *filters;
	int err;

	if (!programs->filters)
		return 0;
	seccomp_filters__take(programs->filters, take_filter, &r);
	err = seccomp_filters__list(programs->filters, &list);
	filters = (const struct auxbpf_filter *)(const void *)list.data;
	for (size_t i = 0; !err && i < list.len / sizeof(*filters); i++)
		read_filter(&r, &filters[i]);
	if (err && err != -ENOMEM) {
		log_debug("cannot look for seccomp filters: %s", strerror(-err));
		err = 0;
	}
	return err;
}

static int read_one(struct bpf_programs *programs, uint32_t id, const struct kcore_layout *copied)
{
	struct bpf_program_copy p;
	int err = bpf_program__read(id, &p);

	if (!err && !is_copied(&p, copied)) {
		add_functions(programs, &p);
	} else if (!err) {
		log_debug("BPF program %u has taken the place of another one", id);
	} else if (err != -ENOMEM) {
		log_debug("BPF program %u has no code to be seen: %s", id, strerror(-err));
		err = 0;
	}
	bpf_program__release(&p);
	return err;
}

int bpf_programs__read(struct bpf_programs *programs, const struct kcore_layout *copied, uint64_t now)
{
	uint32_t id = 0;
	int end = 0, err = 0;

	programs->nr_walks++;
	while (!err && !(end = bpf_prog_get_next_id(id, &id)))
		if (!see(programs, id))
			err = read_one(programs, id, copied);
	if (!err)
		err = read_filters(programs, copied);
	if (end == -ENOENT && !err)
		note_unseen(programs, now);
	if (!err)
		err = buf__error(&programs->functions);
	if (!err)
		err = buf__error(&programs->ranges);
	if (!err)
		err = bpf_types__error(&programs->types);
	return err ? err : buf__error(&programs->entries);
}

bool bpf_programs__has_new_filters(const struct bpf_programs *programs)
{
	return programs->filters && seccomp_filters__has_new(programs->filters);
}

/* Adds the records by which perf_event_bpf_event() of kernel/events/core.c tells of a program. */
static void add_as_loaded(const struct bpf_program_copy *p, struct buf *b, size_t trailer)
{
	char name[BPF_FUNCTION_NAME_MAX];
	struct bpf_info info;

	for (uint32_t i = 0; i < p->info.nr_jited_ksyms; i++) {
		bpf_program__function(p, i, name, &info);
		record__add_ksymbol(b, info.addr, (uint32_t)info.code.len, name, trailer);
	}
	record__add_bpf_load(b, p->info.id, p->info.tag, trailer);
}

int bpf_programs__add_living(struct buf *b, size_t trailer)
{
	static const uint8_t no_tag[BPF_TAG_SIZE];
	uint32_t id = 0;
	int end, err = 0;

	while (!err && !(end = bpf_prog_get_next_id(id, &id))) {
		struct bpf_program_copy p;

		err = bpf_program__read(id, &p);
		if (!err)
			add_as_loaded(&p, b, trailer);
		else if (err == -ENODATA)
			record__add_bpf_load(b, id, no_tag, trailer);
		bpf_program__release(&p);
		if (err != -ENOMEM)
			err = 0;
	}
	if (!err && end != -ENOENT)
		err = end;
	return err ? err : buf__error(b);
}

void bpf_programs__note_gone(struct bpf_programs *programs, uint32_t prog_id, uint64_t time)
{
	struct function *f = first_to_change(programs);

	for (size_t i = 0; i < nr_functions(programs); i++)
		if (f[i].prog_id == prog_id)
			f[i].gone = time;
}

/* Moves the function number @from to number @to, and its entry to @entry. */
static void move_down(struct bpf_programs *programs, size_t from, size_t to, size_t entry)
{
	struct function *f = first_to_change(programs);
	struct code_range *ranges = (struct code_range *)(void *)programs->ranges.data;

	memmove(programs->entries.data + entry, programs->entries.data + f[from].entry, f[from].entry_len);
	f[to] = f[from];
	f[to].entry = entry;
	ranges[to] = ranges[from];
}

static bool has_types(void *ctx, uint32_t btf_id)
{
	const struct bpf_programs *programs = ctx;
	const struct function *f = first_function(programs), *end = f + nr_functions(programs);

	while (f < end && f->btf_id != btf_id)
		f++;
	return f < end;
}

void bpf_programs__forget(struct bpf_programs *programs, uint64_t before)
{
	const struct function *f = first_function(programs);
	size_t nr = nr_functions(programs), kept = 0, entry = 0;

	for (size_t i = 0; i < nr; i++) {
		if (f[i].gone && f[i].gone < before)
			continue;
		move_down(programs, i, kept, entry);
		entry += f[kept++].entry_len;
	}
	if (kept == nr)
		return;
	buf__truncate(&programs->functions, kept * sizeof(struct function));
	buf__truncate(&programs->ranges, kept * sizeof(struct code_range));
	buf__truncate(&programs->entries, entry);
	buf__shrink(&programs->functions);
	buf__shrink(&programs->ranges);
	buf__shrink(&programs->entries);
	bpf_types__keep(&programs->types, has_types, programs);
}

static void add_record(const struct function *f, struct buf *b, size_t trailer)
{
	record__add_ksymbol(b, f->addr, f->len, f->name, trailer);
	record__add_bpf_load(b, f->id, f->tag, trailer);
}

void bpf_programs__add_records(const struct bpf_programs *programs, struct buf *b, size_t trailer)
{
	const struct function *f = first_function(programs), *end = f + nr_functions(programs);

	for (; f < end; f++)
		if (!f->filter)
			add_record(f, b, trailer);
}

void bpf_programs__add_filters(const struct bpf_programs *programs, uint64_t *told, struct buf *b,
			       size_t trailer)
{
	const struct function *f = first_function(programs), *end = f + nr_functions(programs);

	for (; f < end; f++)
		if (f->filter > *told)
			add_record(f, b, trailer);
	*told = programs->nr_filters;
}

void bpf_programs__add_after(const struct bpf_programs *programs, const struct perf_event_header *record,
			     struct buf *b)
{
	const struct function *f = first_function(programs), *end = f + nr_functions(programs);
	struct record_bpf bpf;

	if (!record__bpf(record, &bpf) || !bpf.loaded)
		return;
	for (; f < end; f++) {
		size_t at = b->len + bpf.trailer_at, len = record->size - bpf.trailer_at;

		if (f->prog_id != bpf.id || f->id == bpf.id)
			continue;
		record__add_bpf_load(b, f->id, f->tag, len);
		buf__put_at(b, at, (const char *)record + bpf.trailer_at, len);
	}
}

const struct code_range *bpf_programs__ranges(const struct bpf_programs *programs, size_t *nr)
{
	*nr = programs->ranges.len / sizeof(struct code_range);
	return (const struct code_range *)(const void *)programs->ranges.data;
}

void bpf_programs__add_info(const struct bpf_programs *programs, struct buf *b)
{
	if (!programs->functions.len)
		return;
	buf__add_u32(b, (uint32_t)nr_functions(programs));
	buf__add_buf(b, &programs->entries);
}

void bpf_programs__add_types(const struct bpf_programs *programs, struct buf *b)
{
	bpf_types__add_feature(&programs->types, b);
}
