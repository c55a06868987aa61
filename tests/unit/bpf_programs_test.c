// SPDX-License-Identifier: GPL-2.0-only
/* Which BPF programs are in the list: with a kernel of the test's own, in place of the functions that ask it. */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "capture/kernel_code/bpf_program.h"
#include "capture/kernel_code/bpf_programs.h"
#include "capture/kernel_code/seccomp_filters.h"
#include "check.h"
#include "perfdata/record.h"

#define MAX 8
#define ADDR(id) (0x1000u * (id))

static bool loaded[MAX];
static bool is_hidden;
static uint8_t code[16];

int bpf_prog_get_next_id(__u32 start_id, __u32 *next_id)
{
	if (is_hidden)
		return -EPERM;
	for (*next_id = start_id + 1; *next_id < MAX; ++*next_id)
		if (loaded[*next_id])
			return 0;
	return -ENOENT;
}

int bpf_program__read(uint32_t id, struct bpf_program_copy *ret)
{
	*ret = (struct bpf_program_copy){.info = {.id = id, .nr_jited_ksyms = 1}};
	return 0;
}

void bpf_program__release(struct bpf_program_copy *p)
{
	*p = (struct bpf_program_copy){0};
}

void bpf_program__function(const struct bpf_program_copy *p, uint32_t i, char name[BPF_FUNCTION_NAME_MAX],
			   struct bpf_info *ret)
{
	static const uint8_t tag[BPF_TAG_SIZE];

	strcpy(name, "bpf_prog_x");
	*ret = (struct bpf_info){
		.id = p->info.id + i,
		.tag = tag,
		.name = name,
		.addr = ADDR(p->info.id),
		.code = {code, sizeof(code)},
	};
}

/* Filters: these addresses, in units of ADDR(), that tasks have; 0: none. */
static unsigned int filters[MAX];
static unsigned int nr_read;
static bool is_filter_gone;

static struct seccomp_filters *some_filters(void)
{
	return (struct seccomp_filters *)(void *)filters;
}

int seccomp_filters__list(const struct seccomp_filters *f, struct buf *ret)
{
	for (size_t i = 0; i < MAX && filters[i]; i++) {
		const struct auxbpf_filter filter = {
			.prog = 77 + i, .addr = ADDR(filters[i]), .len = sizeof(code)};

		buf__add(ret, &filter, sizeof(filter));
	}
	return is_hidden ? -EPERM : 0;
}

int seccomp_filters__read(struct seccomp_filters *f, const struct auxbpf_filter *filter, struct span *ret)
{
	nr_read++;
	*ret = (struct span){code, sizeof(code)};
	return is_filter_gone ? -EFAULT : 0;
}

/* One that a task had, which is gone. */
static unsigned int taken;

bool seccomp_filters__has_new(const struct seccomp_filters *f)
{
	return taken;
}

void seccomp_filters__take(struct seccomp_filters *f,
			   void (*fn)(void *ctx, const struct auxbpf_filter *filter, struct span code),
			   void *ctx)
{
	const struct auxbpf_filter filter = {.prog = 99, .addr = ADDR(taken), .len = sizeof(code)};

	if (taken)
		fn(ctx, &filter, (struct span){code, sizeof(code)});
	taken = 0;
}

int seccomp_filters__new(struct seccomp_filters **ret)
{
	return -ENOSYS;
}

void seccomp_filters__free(struct seccomp_filters *f)
{
}

/* The numbers of the programs in the list, as decimal digits. */
static uint64_t ids_of(const struct bpf_programs *programs)
{
	const struct code_range *ranges;
	uint64_t ids = 0;
	size_t nr;

	ranges = bpf_programs__ranges(programs, &nr);
	for (size_t i = 0; i < nr; i++)
		ids = ids * 10 + ranges[i].start / ADDR(1);
	return ids;
}

static struct bpf_programs *begin(void)
{
	struct bpf_programs *programs;

	memset(loaded, 0, sizeof(loaded));
	memset(filters, 0, sizeof(filters));
	loaded[1] = loaded[2] = loaded[3] = true;
	nr_read = 0;
	if (bpf_programs__new(some_filters(), &programs))
		exit(1);
	CHECK_EQ(bpf_programs__read(programs, NULL, 100), 0);
	CHECK_EQ(ids_of(programs), 123);
	return programs;
}

/* The records that tell of those that there are now. */
static void test_living(void)
{
	_cleanup_buf_ struct buf b = {0};
	const struct perf_event_header *record;
	struct record_bpf bpf;
	uint64_t ids = 0;
	size_t pos = 0;

	bpf_programs__free(begin());
	loaded[2] = false;
	CHECK_EQ(bpf_programs__add_living(&b, 16), 0);
	while ((record = record__next(buf__span(&b), &pos))) {
		if (record__bpf(record, &bpf))
			ids = ids * 10 + bpf.id;
		else
			CHECK_STREQ(record__ksymbol_name(record), "bpf_prog_x");
	}
	CHECK_EQ(ids, 13);
	is_hidden = true;
	CHECK_EQ(bpf_programs__add_living(&b, 16), -EPERM);
	is_hidden = false;
}

static void test_told(void)
{
	_cleanup_(cleanup__bpf_programs) struct bpf_programs *programs = begin();

	bpf_programs__note_gone(programs, 2, 200);
	bpf_programs__forget(programs, 200);
	CHECK_EQ(ids_of(programs), 123);
	bpf_programs__forget(programs, 201);
	CHECK_EQ(ids_of(programs), 13);
}

/* The record of its end had no room, or came before the list had it. */
static void test_not_told(void)
{
	_cleanup_(cleanup__bpf_programs) struct bpf_programs *programs = begin();

	loaded[2] = false;
	loaded[4] = true;
	CHECK_EQ(bpf_programs__read(programs, NULL, 300), 0);
	bpf_programs__forget(programs, 300);
	CHECK_EQ(ids_of(programs), 1234);
	CHECK_EQ(bpf_programs__read(programs, NULL, 400), 0);
	bpf_programs__forget(programs, 301);
	CHECK_EQ(ids_of(programs), 134);
}

/* The record comes later than the look, and knows better. */
static void test_told_later(void)
{
	_cleanup_(cleanup__bpf_programs) struct bpf_programs *programs = begin();

	loaded[2] = false;
	CHECK_EQ(bpf_programs__read(programs, NULL, 300), 0);
	bpf_programs__note_gone(programs, 2, 200);
	bpf_programs__forget(programs, 201);
	CHECK_EQ(ids_of(programs), 13);
}

/* Without a time, or where nothing may be seen, nothing is known of those that are not seen. */
static void test_unknown(void)
{
	_cleanup_(cleanup__bpf_programs) struct bpf_programs *programs = begin();

	loaded[2] = false;
	CHECK_EQ(bpf_programs__read(programs, NULL, 0), 0);
	bpf_programs__forget(programs, 1000);
	CHECK_EQ(ids_of(programs), 123);
	is_hidden = true;
	CHECK_EQ(bpf_programs__read(programs, NULL, 300), 0);
	is_hidden = false;
	bpf_programs__forget(programs, 1000);
	CHECK_EQ(ids_of(programs), 123);
}

/* How many filters records tell of behind those that were told of. */
static unsigned int nr_told(const struct bpf_programs *programs, uint64_t *told)
{
	_cleanup_buf_ struct buf b = {0};
	const struct perf_event_header *record;
	struct record_bpf bpf;
	unsigned int nr = 0;
	size_t pos = 0;

	bpf_programs__add_filters(programs, told, &b, 16);
	while ((record = record__next(buf__span(&b), &pos))) {
		if (!record__bpf(record, &bpf))
			CHECK_STREQ(record__ksymbol_name(record), "seccomp_filter");
		else if (CHECK(bpf.loaded && bpf.id >= 0x80000000))
			nr++;
	}
	return nr;
}

/* Each is read once, and told of once, however many tasks have it. */
static void test_filters(void)
{
	_cleanup_(cleanup__bpf_programs) struct bpf_programs *programs = begin();
	uint64_t told = 0;

	filters[0] = 5;
	filters[1] = 6;
	CHECK_EQ(bpf_programs__read(programs, NULL, 200), 0);
	CHECK_EQ(bpf_programs__read(programs, NULL, 201), 0);
	CHECK_EQ(ids_of(programs), 12356);
	CHECK_EQ(nr_read, 2);
	CHECK_EQ(nr_told(programs, &told), 2);
	filters[2] = 7;
	CHECK_EQ(bpf_programs__read(programs, NULL, 0), 0);
	CHECK_EQ(nr_told(programs, &told), 1);
	CHECK_EQ(nr_told(programs, &told), 0);
	filters[2] = 0;
	CHECK(!bpf_programs__has_new_filters(programs));
	taken = 8;
	CHECK(bpf_programs__has_new_filters(programs));
	CHECK_EQ(bpf_programs__read(programs, NULL, 250), 0);
	CHECK_EQ(ids_of(programs), 1235678);
	CHECK_EQ(nr_told(programs, &told), 1);
	CHECK_EQ(bpf_programs__read(programs, NULL, 300), 0);
	bpf_programs__forget(programs, 300);
	CHECK_EQ(ids_of(programs), 123568);
	bpf_programs__forget(programs, 301);
	CHECK_EQ(ids_of(programs), 12356);
}

/* Its place may be another one's later, a filter's or a program's, and where the copy of kcore has code it is none of it. */
static void test_places(void)
{
	_cleanup_(cleanup__bpf_programs) struct bpf_programs *programs = begin();
	struct kcore_segment segment = {.addr = ADDR(7), .len = 64};
	const struct kcore_layout copied = {.segments = &segment, .nr = 1};

	filters[0] = 4;
	filters[1] = 7;
	CHECK_EQ(bpf_programs__read(programs, &copied, 200), 0);
	CHECK_EQ(ids_of(programs), 1234);
	filters[0] = filters[1] = 0;
	loaded[4] = true;
	CHECK_EQ(bpf_programs__read(programs, NULL, 0), 0);
	CHECK_EQ(ids_of(programs), 1234);
	filters[0] = 6;
	CHECK_EQ(bpf_programs__read(programs, NULL, 0), 0);
	filters[0] = 5;
	filters[1] = 6; /* another one than before */
	CHECK_EQ(bpf_programs__read(programs, NULL, 0), 0);
	CHECK_EQ(ids_of(programs), 123456);
	CHECK_EQ(nr_read, 4);
}

/* Thousands of tasks, each with a filter of its own, that come and go. */
static void test_limit(void)
{
	_cleanup_(cleanup__bpf_programs) struct bpf_programs *programs = begin();
	uint64_t told = 0;
	size_t nr = 0;

	for (unsigned int i = 0; i < 5000; i++) {
		taken = 100 + i;
		CHECK_EQ(bpf_programs__read(programs, NULL, 0), 0);
		bpf_programs__ranges(programs, &nr);
		if (nr > 3 + 1024)
			break;
	}
	CHECK(nr > 3 + 500 && nr <= 3 + 1024);
	CHECK(nr_told(programs, &told) > 500);
}

/* A filter whose code cannot be read is left out, and the next look tries again. */
static void test_unreadable(void)
{
	_cleanup_(cleanup__bpf_programs) struct bpf_programs *programs = begin();

	filters[0] = 5;
	is_filter_gone = true;
	CHECK_EQ(bpf_programs__read(programs, NULL, 200), 0);
	CHECK_EQ(ids_of(programs), 123);
	is_filter_gone = false;
	CHECK_EQ(bpf_programs__read(programs, NULL, 201), 0);
	CHECK_EQ(ids_of(programs), 1235);
}

int main(void)
{
	test_living();
	test_told();
	test_not_told();
	test_told_later();
	test_unknown();
	test_filters();
	test_places();
	test_unreadable();
	test_limit();
	return check__done();
}
