// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/bpf_programs.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "pure/record.h"

#define FUNCTION_NAME_MAX 128

/* Ids of the functions behind the first; the kernel counts programs from 1 up. */
#define FIRST_OWN_ID 0x80000000u

/* Arrays behind a struct bpf_prog_info in a file, as perf numbers them (enum perf_bpil_array_types). */
#define ARRAYS_OF_FUNCTION \
	(1 << 0 /* code */ | 1 << 3 /* address */ | 1 << 4 /* length */ | 1 << 8 /* tag \
												     */)

/*
 * A reader refuses a structure longer than its own and zeroes what is missing. The last field of use is the
 * tags' pointer, which every perf since 5.1 knows.
 */
#define INFO_LEN (offsetof(struct bpf_prog_info, prog_tags) + sizeof(uint64_t))

struct function {
	uint32_t prog_id;
	uint32_t id; /* in the file */
	uint64_t addr;
	uint64_t gone; /* when it was unloaded, 0 if it was not */
	uint32_t len;
	uint8_t tag[BPF_TAG_SIZE];
	char name[FUNCTION_NAME_MAX]; /* bpf_prog_TAG_NAME, as in kallsyms */
	size_t code;		      /* offset in bpf_programs.code */
};

struct bpf_programs {
	struct buf functions; /* struct function, by the kernel's id */
	struct buf ranges;    /* struct code_range of each */
	struct buf code;
	uint32_t nr_own_ids;
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
	buf__release(&programs->code);
	free(programs);
}

static const struct function *first_function(const struct bpf_programs *programs)
{
	return (const struct function *)(const void *)programs->functions.data;
}

static size_t nr_functions(const struct bpf_programs *programs)
{
	return programs->functions.len / sizeof(struct function);
}

/* A program as the kernel shows it, with room for its arrays. */
struct program {
	struct bpf_prog_info info;
	uint64_t *addrs;
	uint32_t *lens;
	uint8_t *tags;
	uint8_t *code;
	uint8_t *func_info;
	struct btf *btf;
};

static void program__release(struct program *p)
{
	btf__free(p->btf);
	free(p->addrs);
	free(p->lens);
	free(p->tags);
	free(p->code);
	free(p->func_info);
}

static uint64_t to_u64(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Makes room for what @sizes tells and asks for it in p->info. */
static int program__prepare(struct program *p, const struct bpf_prog_info *sizes)
{
	const uint32_t nr = sizes->nr_jited_ksyms;

	p->addrs = calloc(nr, sizeof(*p->addrs));
	p->lens = calloc(nr, sizeof(*p->lens));
	p->tags = calloc(nr, BPF_TAG_SIZE);
	p->code = calloc(1, sizes->jited_prog_len);
	p->func_info = calloc(sizes->nr_func_info + 1, sizes->func_info_rec_size + 1);
	if (!p->addrs || !p->lens || !p->tags || !p->code || !p->func_info)
		return -ENOMEM;
	p->info = (struct bpf_prog_info){
		.jited_ksyms = to_u64(p->addrs),
		.nr_jited_ksyms = nr,
		.jited_func_lens = to_u64(p->lens),
		.nr_jited_func_lens = nr,
		.prog_tags = to_u64(p->tags),
		.nr_prog_tags = nr,
		.jited_prog_insns = to_u64(p->code),
		.jited_prog_len = sizes->jited_prog_len,
		.func_info = to_u64(p->func_info),
		.nr_func_info = sizes->nr_func_info,
		.func_info_rec_size = sizes->func_info_rec_size,
	};
	return 0;
}

static bool program__is_whole(const struct program *p, const struct bpf_prog_info *sizes)
{
	uint64_t sum = 0;
	uint32_t i;

	if (!p->info.jited_ksyms || !p->info.jited_prog_insns ||
	    p->info.nr_jited_ksyms != sizes->nr_jited_ksyms ||
	    p->info.nr_jited_func_lens != sizes->nr_jited_ksyms ||
	    p->info.nr_prog_tags != sizes->nr_jited_ksyms)
		return false;
	for (i = 0; i < p->info.nr_jited_ksyms; i++)
		sum += p->lens[i];
	return sum <= sizes->jited_prog_len;
}

static int program__read(int fd, struct program *p)
{
	struct bpf_prog_info sizes = {0};
	uint32_t len = sizeof(sizes);
	int err;

	if (bpf_obj_get_info_by_fd(fd, &sizes, &len))
		return -errno;
	if (!sizes.nr_jited_ksyms || !sizes.jited_prog_len)
		return -ENODATA; /* interpreted: there is no code */
	err = program__prepare(p, &sizes);
	if (err)
		return err;
	len = sizeof(p->info);
	if (bpf_obj_get_info_by_fd(fd, &p->info, &len))
		return -errno;
	if (!program__is_whole(p, &sizes))
		return -ENODATA;
	if (p->info.btf_id)
		p->btf = btf__load_from_kernel_by_id(p->info.btf_id);
	return 0;
}

static const char *function_name(const struct program *p, uint32_t i)
{
	const struct btf_type *type = NULL;
	uint32_t type_id;

	if (p->btf && i < p->info.nr_func_info && p->info.func_info_rec_size >= 2 * sizeof(type_id)) {
		memcpy(&type_id, p->func_info + (size_t)i * p->info.func_info_rec_size + sizeof(type_id),
		       sizeof(type_id));
		type = btf__type_by_id(p->btf, type_id);
	}
	if (type)
		return btf__name_by_offset(p->btf, type->name_off);
	return p->info.nr_jited_ksyms == 1 ? p->info.name : "F";
}

static void format_name(struct function *f, const char *name)
{
	size_t len = (size_t)snprintf(f->name, sizeof(f->name), "bpf_prog_");
	int i;

	for (i = 0; i < BPF_TAG_SIZE; i++)
		len += (size_t)snprintf(f->name + len, sizeof(f->name) - len, "%02x", f->tag[i]);
	if (name && *name)
		snprintf(f->name + len, sizeof(f->name) - len, "_%s", name);
}

static void add_functions(struct bpf_programs *programs, const struct program *p)
{
	const uint8_t *code = p->code;
	uint32_t i;

	for (i = 0; i < p->info.nr_jited_ksyms; i++) {
		const struct code_range range = {p->addrs[i], p->addrs[i] + p->lens[i]};
		struct function f = {
			.prog_id = p->info.id,
			.id = i ? FIRST_OWN_ID + programs->nr_own_ids++ : p->info.id,
			.addr = p->addrs[i],
			.len = p->lens[i],
			.code = programs->code.len,
		};

		memcpy(f.tag, p->tags + (size_t)i * BPF_TAG_SIZE, BPF_TAG_SIZE);
		format_name(&f, function_name(p, i));
		buf__add(&programs->functions, &f, sizeof(f));
		buf__add(&programs->ranges, &range, sizeof(range));
		buf__add(&programs->code, code, f.len);
		code += f.len;
	}
}

static bool is_known(const struct bpf_programs *programs, uint32_t prog_id)
{
	const struct function *f = first_function(programs), *end = f + nr_functions(programs);

	while (f < end && f->prog_id != prog_id)
		f++;
	return f < end;
}

static bool is_copied(const struct program *p, const struct kcore_layout *copied)
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
	_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);
	struct program p = {0};
	int err = fd < 0 ? -errno : program__read(fd, &p);

	if (!err && !is_copied(&p, copied)) {
		add_functions(programs, &p);
	} else if (!err) {
		log_debug("BPF program %u has taken the place of another one", id);
	} else if (err != -ENOMEM) {
		log_debug("BPF program %u has no code to be seen: %s", id, strerror(-err));
		err = 0;
	}
	program__release(&p);
	return err;
}

int bpf_programs__read(struct bpf_programs *programs, const struct kcore_layout *copied)
{
	uint32_t id = 0;
	int err = 0;

	while (!err && !bpf_prog_get_next_id(id, &id))
		if (!is_known(programs, id))
			err = read_one(programs, id, copied);
	if (!err)
		err = buf__error(&programs->functions);
	if (!err)
		err = buf__error(&programs->ranges);
	return err ? err : buf__error(&programs->code);
}

void bpf_programs__note_gone(struct bpf_programs *programs, uint32_t prog_id, uint64_t time)
{
	struct function *f = (struct function *)(void *)programs->functions.data;

	for (size_t i = 0; i < nr_functions(programs); i++)
		if (f[i].prog_id == prog_id)
			f[i].gone = time;
}

/* The function number @from becomes number @to, its code the code from @code on. */
static void move_down(struct bpf_programs *programs, size_t from, size_t to, size_t code)
{
	struct function *f = (struct function *)(void *)programs->functions.data;
	struct code_range *ranges = (struct code_range *)(void *)programs->ranges.data;

	memmove(programs->code.data + code, programs->code.data + f[from].code, f[from].len);
	f[to] = f[from];
	f[to].code = code;
	ranges[to] = ranges[from];
}

void bpf_programs__forget(struct bpf_programs *programs, uint64_t before)
{
	const struct function *f = first_function(programs);
	size_t nr = nr_functions(programs), kept = 0, code = 0;

	for (size_t i = 0; i < nr; i++) {
		if (f[i].gone && f[i].gone < before)
			continue;
		move_down(programs, i, kept, code);
		code += f[kept++].len;
	}
	buf__truncate(&programs->functions, kept * sizeof(struct function));
	buf__truncate(&programs->ranges, kept * sizeof(struct code_range));
	buf__truncate(&programs->code, code);
	buf__shrink(&programs->functions);
	buf__shrink(&programs->ranges);
	buf__shrink(&programs->code);
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

/* One entry: lengths, a struct bpf_prog_info with offsets for pointers, the arrays. */
static void add_function_info(const struct bpf_programs *programs, const struct function *f, struct buf *b)
{
	const char *function = strchr(f->name + strlen("bpf_prog_"), '_');
	const uint32_t code_len = (f->len + 7) & ~7u;
	struct bpf_prog_info info = {
		.id = f->id,
		.jited_prog_len = f->len,
		.jited_prog_insns = 0,
		.nr_jited_ksyms = 1,
		.jited_ksyms = code_len,
		.nr_jited_func_lens = 1,
		.jited_func_lens = code_len + 8,
		.nr_prog_tags = 1,
		.prog_tags = code_len + 16,
	};

	memcpy(info.tag, f->tag, sizeof(info.tag));
	snprintf(info.name, sizeof(info.name), "%s", function ? function + 1 : "");
	buf__add_u32(b, INFO_LEN);
	buf__add_u32(b, code_len + 24);
	buf__add_u64(b, ARRAYS_OF_FUNCTION);
	buf__add(b, &info, INFO_LEN);
	buf__add(b, programs->code.data + f->code, f->len);
	buf__add(b, NULL, code_len - f->len);
	buf__add_u64(b, f->addr);
	buf__add_u32(b, f->len);
	buf__add_u32(b, 0);
	buf__add(b, f->tag, sizeof(f->tag));
}

void bpf_programs__add_info(const struct bpf_programs *programs, struct buf *b)
{
	const struct function *f = first_function(programs), *end = f + nr_functions(programs);

	if (f == end)
		return;
	buf__add_u32(b, (uint32_t)nr_functions(programs));
	for (; f < end; f++)
		add_function_info(programs, f, b);
}
