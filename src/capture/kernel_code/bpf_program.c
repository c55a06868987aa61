// SPDX-License-Identifier: GPL-2.0-only
#include "capture/kernel_code/bpf_program.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void bpf_program__release(struct bpf_program_copy *p)
{
	btf__free(p->btf);
	free(p->addrs);
	free(p->lens);
	free(p->tags);
	free(p->code);
	free(p->func_info);
	free(p->line_info);
	free(p->line_addrs);
	*p = (struct bpf_program_copy){0};
}

static uint64_t to_u64(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Allocates an array that may be empty: even then calloc() must not return NULL. */
static void *room(size_t nr, size_t size)
{
	return calloc(nr + 1, size + 1);
}

static int make_room(struct bpf_program_copy *p, const struct bpf_prog_info *sizes)
{
	const uint32_t nr = sizes->nr_jited_ksyms;

	p->addrs = room(nr, sizeof(*p->addrs));
	p->lens = room(nr, sizeof(*p->lens));
	p->tags = room(nr, BPF_TAG_SIZE);
	p->code = room(sizes->jited_prog_len, 1);
	p->func_info = room(sizes->nr_func_info, sizes->func_info_rec_size);
	p->line_info = room(sizes->nr_line_info, sizes->line_info_rec_size);
	p->line_addrs = room(sizes->nr_jited_line_info, sizeof(*p->line_addrs));
	return p->addrs && p->lens && p->tags && p->code && p->func_info && p->line_info && p->line_addrs
		       ? 0
		       : -ENOMEM;
}

/* Makes room for what @sizes tells of, and asks for it in p->info. */
static int prepare(struct bpf_program_copy *p, const struct bpf_prog_info *sizes)
{
	int err = make_room(p, sizes);

	p->info = (struct bpf_prog_info){
		.jited_ksyms = to_u64(p->addrs),
		.nr_jited_ksyms = sizes->nr_jited_ksyms,
		.jited_func_lens = to_u64(p->lens),
		.nr_jited_func_lens = sizes->nr_jited_ksyms,
		.prog_tags = to_u64(p->tags),
		.nr_prog_tags = sizes->nr_jited_ksyms,
		.jited_prog_insns = to_u64(p->code),
		.jited_prog_len = sizes->jited_prog_len,
		.func_info = to_u64(p->func_info),
		.nr_func_info = sizes->nr_func_info,
		.func_info_rec_size = sizes->func_info_rec_size,
		.line_info = to_u64(p->line_info),
		.nr_line_info = sizes->nr_line_info,
		.line_info_rec_size = sizes->line_info_rec_size,
		.jited_line_info = to_u64(p->line_addrs),
		.nr_jited_line_info = sizes->nr_jited_line_info,
		.jited_line_info_rec_size = sizeof(*p->line_addrs),
	};
	return err;
}

static bool is_whole(const struct bpf_program_copy *p, const struct bpf_prog_info *sizes)
{
	uint64_t sum = 0;

	if (!p->info.jited_ksyms || !p->info.jited_prog_insns ||
	    p->info.nr_jited_ksyms != sizes->nr_jited_ksyms ||
	    p->info.nr_jited_func_lens != sizes->nr_jited_ksyms ||
	    p->info.nr_prog_tags != sizes->nr_jited_ksyms)
		return false;
	for (uint32_t i = 0; i < p->info.nr_jited_ksyms; i++)
		sum += p->lens[i];
	return sum <= sizes->jited_prog_len;
}

/*
 * Keeps the types only if there is a record of each function, and the lines only if each has a record and an
 * address, all at least as long as what is read.
 */
static void check_types(struct bpf_program_copy *p, const struct bpf_prog_info *sizes)
{
	struct bpf_prog_info *info = &p->info;

	if (!info->func_info || info->nr_func_info != info->nr_jited_ksyms ||
	    info->func_info_rec_size != sizes->func_info_rec_size ||
	    info->func_info_rec_size < 2 * sizeof(uint32_t))
		info->nr_func_info = 0;
	if (!info->line_info || !info->jited_line_info || !info->nr_func_info ||
	    info->nr_line_info != sizes->nr_line_info || info->nr_jited_line_info != info->nr_line_info ||
	    info->line_info_rec_size != sizes->line_info_rec_size ||
	    info->line_info_rec_size < sizeof(uint32_t) ||
	    info->jited_line_info_rec_size != sizeof(*p->line_addrs))
		info->nr_line_info = 0;
}

int bpf_program__read(uint32_t id, struct bpf_program_copy *p)
{
	_cleanup_close_ int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info sizes = {0};
	uint32_t len = sizeof(sizes);
	int err;

	*p = (struct bpf_program_copy){0};
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &sizes, &len))
		return -errno;
	if (!sizes.nr_jited_ksyms || !sizes.jited_prog_len)
		return -ENODATA; /* it is interpreted: there is no machine code */
	err = prepare(p, &sizes);
	if (err)
		return err;
	len = sizeof(p->info);
	if (bpf_obj_get_info_by_fd(fd, &p->info, &len))
		return -errno;
	if (!is_whole(p, &sizes))
		return -ENODATA;
	check_types(p, &sizes);
	if (p->info.btf_id)
		p->btf = btf__load_from_kernel_by_id(p->info.btf_id);
	return 0;
}

static const uint8_t *func_record(const struct bpf_program_copy *p, uint32_t i)
{
	return p->func_info + (size_t)i * p->info.func_info_rec_size;
}

static const char *own_name(const struct bpf_program_copy *p, uint32_t i)
{
	const struct btf_type *type = NULL;
	const char *name = NULL;
	uint32_t type_id;

	if (p->btf && i < p->info.nr_func_info) {
		memcpy(&type_id, func_record(p, i) + sizeof(type_id), sizeof(type_id));
		type = btf__type_by_id(p->btf, type_id);
	}
	if (type)
		name = btf__name_by_offset(p->btf, type->name_off);
	if (name)
		return name;
	return p->info.nr_jited_ksyms == 1 ? p->info.name : "F";
}

static void format_name(char name[BPF_FUNCTION_NAME_MAX], const uint8_t *tag, const char *own)
{
	const size_t size = BPF_FUNCTION_NAME_MAX;
	size_t len = (size_t)snprintf(name, size, "bpf_prog_");

	for (int i = 0; i < BPF_TAG_SIZE; i++)
		len += (size_t)snprintf(name + len, size - len, "%02x", tag[i]);
	if (*own)
		snprintf(name + len, size - len, "_%s", own);
}

/* Finds the lines whose code is the function's. Lines are in the order of the code. */
static void find_lines(const struct bpf_program_copy *p, struct bpf_info *ret)
{
	const uint64_t begin = ret->addr, end = begin + ret->code.len;
	uint32_t first = 0, nr = 0;

	while (first < p->info.nr_line_info && (p->line_addrs[first] < begin || p->line_addrs[first] >= end))
		first++;
	while (first + nr < p->info.nr_line_info && p->line_addrs[first + nr] >= begin &&
	       p->line_addrs[first + nr] < end)
		nr++;
	ret->lines.data = p->line_info + (size_t)first * p->info.line_info_rec_size;
	ret->lines.nr = nr;
	ret->lines.size = p->info.line_info_rec_size;
	ret->line_addrs = p->line_addrs + first;
}

void bpf_program__function(const struct bpf_program_copy *p, uint32_t i, char name[BPF_FUNCTION_NAME_MAX],
			   struct bpf_info *ret)
{
	const uint8_t *code = p->code;

	for (uint32_t k = 0; k < i; k++)
		code += p->lens[k];
	*ret = (struct bpf_info){
		.id = p->info.id,
		.tag = p->tags + (size_t)i * BPF_TAG_SIZE,
		.name = own_name(p, i),
		.addr = p->addrs[i],
		.code = {code, p->lens[i]},
	};
	format_name(name, ret->tag, ret->name);
	if (!p->btf || i >= p->info.nr_func_info)
		return;
	ret->btf_id = p->info.btf_id;
	ret->func = (struct bpf_info_records){func_record(p, i), 1, p->info.func_info_rec_size};
	find_lines(p, ret);
}
