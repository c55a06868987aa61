// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/bpf_programs.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "kernel/bpf_program.h"
#include "kernel/bpf_types.h"
#include "pure/record.h"

/* Ids of the functions behind the first; the kernel counts programs from 1 up. */
#define FIRST_OWN_ID 0x80000000u

struct function {
	uint32_t prog_id;
	uint32_t id; /* in the file */
	uint32_t btf_id;
	uint32_t len;
	uint64_t addr;
	uint64_t gone; /* when it was unloaded, 0 if it was not */
	uint32_t walk; /* the last one that has seen it */
	uint8_t tag[BPF_TAG_SIZE];
	char name[BPF_FUNCTION_NAME_MAX];
	size_t entry; /* offset in bpf_programs.entries */
	size_t entry_len;
};

struct bpf_programs {
	struct buf functions; /* struct function, by the kernel's id */
	struct buf ranges;    /* struct code_range of each */
	struct buf entries;   /* what a file has of each (pure/bpf_info.h) */
	struct bpf_types types;
	uint32_t nr_own_ids;
	uint32_t nr_walks; /* through the kernel's list */
};

int bpf_programs__new(struct bpf_programs **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
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

/* The same, for those that change it. */
static struct function *first_to_change(struct bpf_programs *programs)
{
	return (struct function *)(void *)programs->functions.data;
}

static size_t nr_functions(const struct bpf_programs *programs)
{
	return programs->functions.len / sizeof(struct function);
}

static void add_function(struct bpf_programs *programs, const struct bpf_program_copy *p, uint32_t i)
{
	struct function f = {
		.prog_id = p->info.id, .entry = programs->entries.len, .walk = programs->nr_walks};
	struct code_range range;
	struct bpf_info info;

	bpf_program__function(p, i, f.name, &info);
	if (i)
		info.id = FIRST_OWN_ID + programs->nr_own_ids++;
	f.id = info.id;
	f.btf_id = info.btf_id;
	f.addr = info.addr;
	f.len = (uint32_t)info.code.len;
	memcpy(f.tag, info.tag, BPF_TAG_SIZE);
	bpf_info__add(&programs->entries, &info);
	f.entry_len = programs->entries.len - f.entry;
	range = (struct code_range){f.addr, f.addr + f.len};
	buf__add(&programs->functions, &f, sizeof(f));
	buf__add(&programs->ranges, &range, sizeof(range));
}

static void add_functions(struct bpf_programs *programs, const struct bpf_program_copy *p)
{
	for (uint32_t i = 0; i < p->info.nr_jited_ksyms; i++)
		add_function(programs, p, i);
	if (p->btf)
		bpf_types__add(&programs->types, p->info.btf_id, p->btf);
}

/* Whether it is known; then it was seen. */
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
 * It may be that nothing tells of their end any more: the record had no room, or it came before they were read,
 * since the kernel takes a program off its list only behind it (bpf_prog_put_deferred(), kernel/bpf/syscall.c).
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
	if (end == -ENOENT)
		note_unseen(programs, now);
	if (!err)
		err = buf__error(&programs->functions);
	if (!err)
		err = buf__error(&programs->ranges);
	if (!err)
		err = bpf_types__error(&programs->types);
	return err ? err : buf__error(&programs->entries);
}

/* As perf_event_bpf_event() of kernel/events/core.c tells of one. */
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

/* The function number @from becomes number @to, its entry the one from @entry on. */
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

void bpf_programs__add_records(const struct bpf_programs *programs, struct buf *b, size_t trailer)
{
	const struct function *f = first_function(programs), *end = f + nr_functions(programs);

	for (; f < end; f++) {
		record__add_ksymbol(b, f->addr, f->len, f->name, trailer);
		record__add_bpf_load(b, f->id, f->tag, trailer);
	}
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
