// SPDX-License-Identifier: GPL-2.0-only
/* The file layout: every offset in the header leads to what it names. */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "perfdata/perfdata.h"
#include "trace/trace_pmu.h"

struct section {
	uint64_t offset, size;
};

struct head {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, types;
	uint64_t features[4];
};

static int store(void *ctx, uint64_t offset, struct span span)
{
	struct buf *file = ctx;

	if (offset + span.len > file->len)
		buf__add(file, NULL, offset + span.len - file->len);
	buf__put_at(file, offset, span.data, span.len);
	return buf__error(file);
}

static struct perf_event_attr attrs[2] = {{.type = 8, .config = 0x300e601}, {.type = 1, .config = 9}};
static const uint64_t ids[3] = {100, 101, 200};
static const struct feature_event events[2] = {
	{.attr = &attrs[0], .name = "intel_pt//k", .ids = ids, .nr_ids = 2},
	{.attr = &attrs[1], .name = "dummy:u", .ids = ids + 2, .nr_ids = 1},
};

static uint64_t u64_at(const struct buf *b, uint64_t offset)
{
	uint64_t val = 0;

	if (CHECK(offset + sizeof(val) <= b->len))
		memcpy(&val, b->data + offset, sizeof(val));
	return val;
}

/* The section of a feature, found as a reader does. */
static struct section feature_section(const struct buf *file, const struct head *head, int feature)
{
	uint64_t table = head->data.offset + head->data.size;
	uint64_t below = head->features[0] & ((1ULL << feature) - 1);
	uint64_t at = table + (uint64_t)__builtin_popcountll(below) * sizeof(struct section);

	CHECK(head->features[0] & 1ULL << feature);
	return (struct section){u64_at(file, at), u64_at(file, at + 8)};
}

static void check_head(const struct buf *file, const struct head *head, uint64_t size)
{
	CHECK(!memcmp(head->magic, "PERFILE2", 8));
	CHECK_EQ(head->size, 104);
	CHECK_EQ(head->attr_size, sizeof(struct perf_event_attr) + 16);
	CHECK_EQ(head->attrs.offset, 104 + 3 * 8);
	CHECK_EQ(head->attrs.size, 2 * head->attr_size);
	CHECK_EQ(head->data.offset, head->attrs.offset + head->attrs.size);
	CHECK_EQ(u64_at(file, 104 + 2 * 8), 200);
	CHECK_EQ(u64_at(file, head->attrs.offset + sizeof(struct perf_event_attr)), 104);
	CHECK_EQ(u64_at(file, head->attrs.offset + head->attr_size + sizeof(struct perf_event_attr)),
		 104 + 16);
	CHECK_EQ(size, file->len);
}

static void check_aux(const struct buf *file, const struct head *head, uint64_t before)
{
	struct section index = feature_section(file, head, FEATURE_AUXTRACE);
	uint64_t at = u64_at(file, index.offset + 8);

	CHECK_EQ(index.size, 8 + 16);
	CHECK_EQ(u64_at(file, index.offset), 1);
	CHECK_EQ(u64_at(file, index.offset + 16), 48);
	CHECK_EQ(at, head->data.offset + before);
	CHECK_EQ(u64_at(file, at) & 0xffffffff, RECORD_AUXTRACE);
	CHECK_EQ(u64_at(file, at) >> 48, 48);
	CHECK_EQ(u64_at(file, at + 8), 16); /* 11 bytes, padded */
	CHECK_EQ(u64_at(file, at + 16), 0x5000);
	CHECK_EQ(u64_at(file, at + 24), 0x7777);
	CHECK_EQ(u64_at(file, at + 32), 3 | 0xffffffffULL << 32);
	CHECK_EQ(u64_at(file, at + 40), 5);
	CHECK(!memcmp(file->data + at + 48, "hello world\0\0\0\0\0", 16));
	CHECK_EQ(head->data.size, before + 48 + 16);
}

static void test_layout(void)
{
	_cleanup_buf_ struct buf file = {0}, records = {0}, name = {0};
	const struct perfdata_sink sink = {store, &file};
	const struct aux_piece aux = {
		.cpu = 5,
		.idx = 3,
		.tid = -1,
		.offset = 0x5000,
		.reference = 0x7777,
		.data = {{"hello ", 6}, {"wor", 3}},
	};
	struct perfdata *pd = NULL;
	struct section hostname;
	struct head head;
	uint64_t size, at;

	record__add_comm(&records, 1, 1, "init", 32);
	feature__add_string(&name, "here");
	if (!CHECK_EQ(perfdata__new(&sink, events, 2, &pd), 0))
		return;
	CHECK_EQ(perfdata__add_records(pd, buf__span(&records)), 0);
	CHECK_EQ(perfdata__reserve_aux(pd, &aux, 2, &at), 0);
	CHECK_EQ(store(&file, at, (struct span){"hello world", 11}), 0);
	CHECK_EQ(perfdata__set_feature(pd, FEATURE_HOSTNAME, buf__span(&name)), 0);
	CHECK_EQ(perfdata__finish(pd, &size), 0);
	perfdata__free(pd);
	memcpy(&head, file.data, sizeof(head));
	check_head(&file, &head, size);
	check_aux(&file, &head, records.len);
	hostname = feature_section(&file, &head, FEATURE_HOSTNAME);
	CHECK_EQ(hostname.size, 4 + 64);
	CHECK_STREQ((char *)file.data + hostname.offset + 4, "here");
	CHECK(!(head.features[0] & 1ULL << FEATURE_GROUP_DESC));
}

/* What has its place in the file may be written late, in any order, and records may follow meanwhile. */
static void test_pieces(void)
{
	_cleanup_buf_ struct buf file = {0}, records = {0};
	const struct perfdata_sink sink = {store, &file};
	const struct aux_piece first = {.data = {{"abc", 3}}};
	const struct aux_piece second = {.offset = 3, .data = {{"12345678", 8}}};
	const uint64_t begin = 104 + 16 + sizeof(attrs[0]) + 16;
	struct perfdata *pd = NULL;
	uint64_t size, at[2];

	record__add_comm(&records, 1, 1, "init", 32);
	if (!CHECK_EQ(perfdata__new(&sink, events, 1, &pd), 0))
		return;
	CHECK_EQ(perfdata__reserve_aux(pd, &first, 0, &at[0]), 0);
	CHECK_EQ(perfdata__add_records(pd, buf__span(&records)), 0);
	CHECK_EQ(perfdata__reserve_aux(pd, &second, 0, &at[1]), 0);
	CHECK_EQ(perfdata__add_records(pd, buf__span(&records)), 0);
	CHECK_EQ(at[0], begin + 48);
	CHECK_EQ(at[1], at[0] + 8 + records.len + 48);
	CHECK_EQ(store(&file, at[1], second.data[0]), 0);
	CHECK_EQ(store(&file, at[0], first.data[0]), 0);
	CHECK_EQ(perfdata__finish(pd, &size), 0);
	perfdata__free(pd);
	CHECK_EQ(size, file.len);
	CHECK(!memcmp(file.data + at[0], "abc\0\0\0\0\0", 8));
	CHECK(!memcmp(file.data + at[0] + 8, records.data, records.len));
	CHECK(!memcmp(file.data + at[1], "12345678", 8));
	CHECK(!memcmp(file.data + at[1] + 8, records.data, records.len));
}

static int full(void *ctx, uint64_t offset, struct span span)
{
	return -ENOSPC;
}

static void test_disk_full(void)
{
	const struct perfdata_sink sink = {full, NULL};
	struct perfdata *pd = NULL;
	uint64_t size;

	if (!CHECK_EQ(perfdata__new(&sink, events, 2, &pd), 0))
		return;
	CHECK_EQ(perfdata__finish(pd, &size), -ENOSPC);
	perfdata__free(pd);
}

static void test_features(void)
{
	_cleanup_buf_ struct buf b = {0};
	char one[] = "auxbpf", two[] = "-p";
	char *const argv[] = {one, two, NULL};
	const struct build_id id = {.data = {1, 2, 3}, .size = 20};
	struct feature_event group[3] = {events[0], events[1], events[1]};

	feature__add_cmdline(&b, "/usr/sbin/auxbpf", argv);
	CHECK_EQ(b.len, 4 + 3 * 68);
	CHECK_EQ(u64_at(&b, 0) & 0xffffffff, 3);
	buf__truncate(&b, 0);
	feature__add_build_id(&b, &id, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]");
	CHECK_EQ(b.len, 36 + 24);
	CHECK_EQ(u64_at(&b, 0) >> 48, b.len);
	CHECK_EQ((u64_at(&b, 0) >> 32) & 0xffff, PERF_RECORD_MISC_KERNEL | 0x8000);
	CHECK_EQ(b.data[32], 20);
	buf__truncate(&b, 0);
	group[0].nr_members = 2;
	feature__add_group_desc(&b, group, 3);
	CHECK_EQ(b.len, 4 + 68 + 8);
	CHECK_EQ(u64_at(&b, 72), 0ULL | 3ULL << 32);
}

static uint64_t format_bits(void *ctx, const char *term)
{
	return !strcmp(term, "tsc") ? 0x400 : 0;
}

static uint64_t value(void *ctx, const char *file)
{
	return !strcmp(file, "max_nonturbo_ratio") ? 24 : 0;
}

static void test_intel_pt(void)
{
	_cleanup_buf_ struct buf b = {0};
	const struct trace_source source = {
		.format_bits = format_bits,
		.value = value,
		.tsc_ctc_num = 2,
		.tsc_ctc_denom = 1,
	};
	const struct trace_setup setup = {
		.pmu_type = 8,
		.tsc = {.zero = 5, .mult = 6, .shift = 7, .cap_zero = true},
	};

	trace_info__add_record(&intel_pt_info, &b, &setup, &source);
	CHECK_EQ(b.len, 16 + 17 * 8 + 8);
	CHECK_EQ(u64_at(&b, 8), 1);
	CHECK_EQ(u64_at(&b, 16), 8);
	CHECK_EQ(u64_at(&b, 16 + 3 * 8), 5);
	CHECK_EQ(u64_at(&b, 16 + 5 * 8), 0x400);
	CHECK_EQ(u64_at(&b, 16 + 9 * 8), 1);
	CHECK_EQ(u64_at(&b, 16 + 15 * 8), 24);
	CHECK_EQ(u64_at(&b, 16 + 7 * 8), 3);
	CHECK_EQ(u64_at(&b, 16 + 16 * 8), 0);
}

int main(void)
{
	test_layout();
	test_pieces();
	test_disk_full();
	test_features();
	test_intel_pt();
	return check__done();
}
