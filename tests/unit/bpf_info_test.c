// SPDX-License-Identifier: GPL-2.0-only
/* Entries of BPF_PROG_INFO, read back as perf does it: offsets become pointers; libbpf finds the lines. */
#include <bpf/libbpf.h>
#include <string.h>

#include "check.h"
#include "perfdata/bpf_info.h"

#define START 40 /* of the function in its program, in instructions */
#define NR_LINES 3

static const uint8_t tag[BPF_TAG_SIZE] = {1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t code[13] = {0x90, 0x91, 0x92};
static const uint64_t line_addrs[NR_LINES] = {0x1000, 0x1004, 0x1008};
static const struct bpf_func_info func = {.insn_off = START, .type_id = 7};
static const struct bpf_line_info lines[NR_LINES] = {
	{.insn_off = START, .line_off = 11, .line_col = 5 << 10},
	{.insn_off = START + 2, .line_off = 12, .line_col = 6 << 10},
	{.insn_off = START + 3, .line_off = 13, .line_col = 9 << 10},
};

static const struct bpf_info plain = {
	.id = 5,
	.tag = tag,
	.name = "a_name_of_more_than_fifteen",
	.addr = 0x1000,
	.code = {code, sizeof(code)},
};

static struct bpf_info typed(void)
{
	struct bpf_info info = plain;

	info.btf_id = 21;
	info.func = (struct bpf_info_records){(const uint8_t *)&func, 1, sizeof(func)};
	info.lines = (struct bpf_info_records){(const uint8_t *)lines, NR_LINES, sizeof(lines[0])};
	info.line_addrs = line_addrs;
	return info;
}

struct entry {
	struct {
		uint32_t info_len, data_len;
		uint64_t arrays;
	} head;
	struct bpf_prog_info info;
	uint8_t *data;
};

/* False if it is not all of @b. */
static bool read_entry(const struct buf *b, struct entry *ret)
{
	if (!CHECK(b->len > sizeof(ret->head)))
		return false;
	memcpy(&ret->head, b->data, sizeof(ret->head));
	memset(&ret->info, 0, sizeof(ret->info));
	if (!CHECK(ret->head.info_len <= sizeof(ret->info)) ||
	    !CHECK_EQ(b->len, sizeof(ret->head) + ret->head.info_len + ret->head.data_len))
		return false;
	memcpy(&ret->info, b->data + sizeof(ret->head), ret->head.info_len);
	ret->data = b->data + sizeof(ret->head) + ret->head.info_len;
	return true;
}

static void test_plain(void)
{
	_cleanup_buf_ struct buf b = {0};
	struct entry e;
	uint64_t addr;
	uint32_t len;

	bpf_info__add(&b, &plain);
	if (!CHECK_EQ(buf__error(&b), 0) || !read_entry(&b, &e))
		return;
	CHECK_EQ(e.head.arrays, 1 << 0 | 1 << 3 | 1 << 4 | 1 << 8);
	CHECK_EQ(e.info.id, 5);
	CHECK_EQ(e.info.btf_id, 0);
	CHECK_EQ(e.info.nr_func_info, 0);
	CHECK(!strcmp(e.info.name, "a_name_of_more_"));
	CHECK_EQ(e.info.jited_prog_len, sizeof(code));
	CHECK(!memcmp(e.data + e.info.jited_prog_insns, code, sizeof(code)));
	memcpy(&addr, e.data + e.info.jited_ksyms, sizeof(addr));
	CHECK_EQ(addr, 0x1000);
	memcpy(&len, e.data + e.info.jited_func_lens, sizeof(len));
	CHECK_EQ(len, sizeof(code));
	CHECK(!memcmp(e.data + e.info.prog_tags, tag, sizeof(tag)));
}

/* The line of the code at an address, as libbpf tells it. */
static unsigned int line_at(const struct bpf_prog_linfo *lines_of, uint64_t addr)
{
	const struct bpf_line_info *line = bpf_prog_linfo__lfind_addr_func(lines_of, addr, 0, 0);

	return line ? BPF_LINE_INFO_LINE_NUM(line->line_col) : 0;
}

static void test_types(void)
{
	_cleanup_buf_ struct buf b = {0};
	const struct bpf_info info = typed();
	struct bpf_prog_linfo *found;
	struct bpf_func_info f;
	struct entry e;

	bpf_info__add(&b, &info);
	if (!CHECK_EQ(buf__error(&b), 0) || !read_entry(&b, &e))
		return;
	CHECK_EQ(e.info.btf_id, 21);
	CHECK_EQ(e.info.nr_func_info, 1);
	memcpy(&f, e.data + e.info.func_info, sizeof(f));
	CHECK_EQ(f.insn_off, 0); /* the function is all of it */
	CHECK_EQ(f.type_id, 7);
	e.info.jited_ksyms += (uintptr_t)e.data;
	e.info.jited_func_lens += (uintptr_t)e.data;
	e.info.line_info += (uintptr_t)e.data;
	e.info.jited_line_info += (uintptr_t)e.data;
	found = bpf_prog_linfo__new(&e.info);
	if (!CHECK(found))
		return;
	CHECK_EQ(line_at(found, 0x1000), 5);
	CHECK_EQ(line_at(found, 0x1006), 6);
	CHECK_EQ(line_at(found, 0x1008), 9);
	bpf_prog_linfo__free(found);
}

static void test_without_lines(void)
{
	_cleanup_buf_ struct buf b = {0};
	struct bpf_info info = typed();
	struct entry e;

	info.lines.nr = 0;
	bpf_info__add(&b, &info);
	if (!CHECK_EQ(buf__error(&b), 0) || !read_entry(&b, &e))
		return;
	CHECK_EQ(e.head.arrays, 1 << 0 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 8);
	CHECK_EQ(e.info.btf_id, 21);
	CHECK_EQ(e.info.nr_line_info, 0);
}

int main(void)
{
	test_plain();
	test_types();
	test_without_lines();
	return check__done();
}
