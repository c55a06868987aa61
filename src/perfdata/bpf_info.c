// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/bpf_info.h"

#include <stdio.h>
#include <string.h>

/* The arrays of an entry, by their bits (perf's enum perf_bpil_array_types). */
#define CODE (1ull << 0)
#define ADDR (1ull << 3)
#define CODE_LEN (1ull << 4)
#define FUNC (1ull << 5)
#define LINES (1ull << 6)
#define LINE_ADDRS (1ull << 7)
#define TAG (1ull << 8)

/*
 * A reader refuses a structure longer than its own and zeroes what is missing. The last field that is used is
 * prog_tags, which every perf since 5.1 knows.
 */
#define INFO_LEN (offsetof(struct bpf_prog_info, prog_tags) + sizeof(uint64_t))

/* Appends an array and returns its offset in @data, which stands for a pointer to it. */
static uint64_t add_array(struct buf *data, const void *array, size_t len)
{
	const size_t at = data->len;

	buf__add(data, array, len);
	buf__add(data, NULL, -len & 7);
	return at;
}

/* Appends records, and makes their offsets relative to the begin of the function. */
static uint64_t add_records(struct buf *data, const struct bpf_info *info,
			    const struct bpf_info_records *records)
{
	const size_t len = (size_t)records->nr * records->size;
	const uint64_t at = add_array(data, records->data, len);
	uint32_t start, offset;

	if (buf__error(data))
		return at;
	memcpy(&start, info->func.data, sizeof(start));
	for (size_t i = 0; i < len; i += records->size) {
		memcpy(&offset, records->data + i, sizeof(offset));
		offset -= start;
		memcpy(data->data + at + i, &offset, sizeof(offset));
	}
	return at;
}

static uint64_t add_types(struct buf *data, const struct bpf_info *info, struct bpf_prog_info *to)
{
	if (!info->btf_id || !info->func.nr)
		return 0;
	to->btf_id = info->btf_id;
	to->nr_func_info = info->func.nr;
	to->func_info_rec_size = info->func.size;
	to->func_info = add_records(data, info, &info->func);
	if (!info->lines.nr)
		return FUNC;
	to->nr_line_info = to->nr_jited_line_info = info->lines.nr;
	to->line_info_rec_size = info->lines.size;
	to->jited_line_info_rec_size = sizeof(*info->line_addrs);
	to->line_info = add_records(data, info, &info->lines);
	to->jited_line_info = add_array(data, info->line_addrs, info->lines.nr * sizeof(*info->line_addrs));
	return FUNC | LINES | LINE_ADDRS;
}

void bpf_info__add(struct buf *b, const struct bpf_info *info)
{
	const uint32_t code_len = (uint32_t)info->code.len;
	_cleanup_buf_ struct buf data = {0};
	struct bpf_prog_info to = {
		.id = info->id,
		.jited_prog_len = code_len,
		.nr_jited_ksyms = 1,
		.nr_jited_func_lens = 1,
		.nr_prog_tags = 1,
	};
	uint64_t arrays = CODE | ADDR | CODE_LEN | TAG;

	memcpy(to.tag, info->tag, sizeof(to.tag));
	snprintf(to.name, sizeof(to.name), "%s", info->name);
	to.jited_prog_insns = add_array(&data, info->code.data, info->code.len);
	to.jited_ksyms = add_array(&data, &info->addr, sizeof(info->addr));
	to.jited_func_lens = add_array(&data, &code_len, sizeof(code_len));
	to.prog_tags = add_array(&data, info->tag, BPF_TAG_SIZE);
	arrays |= add_types(&data, info, &to);
	buf__add_u32(b, INFO_LEN);
	buf__add_u32(b, (uint32_t)data.len);
	buf__add_u64(b, arrays);
	buf__add(b, &to, INFO_LEN);
	buf__add(b, data.data, data.len);
	if (buf__error(&data))
		buf__fail(b, buf__error(&data));
}
