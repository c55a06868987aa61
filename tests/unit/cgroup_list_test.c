// SPDX-License-Identifier: GPL-2.0-only
/* Records of cgroups: all that are there stay, and the last of those that are gone. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "perfdata/record.h"
#include "sideband/cgroup_list.h"

#define TRAILER 40

static void add(struct cgroup_list *list, uint64_t id)
{
	char path[32];

	snprintf(path, sizeof(path), "/c%llu", (unsigned long long)id);
	cgroup_list__add(list, id, path, TRAILER);
}

/* The ids in the list, in its order; each has the path of its number. */
static size_t read_ids(const struct cgroup_list *list, uint64_t *ids, size_t max)
{
	const struct perf_event_header *record;
	size_t pos = 0, nr = 0;
	char expected[32];
	const char *path;

	while (nr < max && (record = record__next(buf__span(&list->records), &pos))) {
		path = record__cgroup(record, &ids[nr]);
		snprintf(expected, sizeof(expected), "/c%llu", (unsigned long long)ids[nr++]);
		CHECK(path && !strcmp(path, expected));
	}
	CHECK_EQ(pos, list->records.len);
	return nr;
}

static void test_record(void)
{
	_cleanup_(cgroup_list__release) struct cgroup_list list = {0};
	const struct perf_event_header *record;
	size_t pos = 0;
	uint64_t id;

	cgroup_list__add(&list, 0x123456789abc, "/a/b", TRAILER);
	record = record__next(buf__span(&list.records), &pos);
	if (!CHECK(record))
		return;
	CHECK_EQ(record->size, 8 + 8 + 8 + TRAILER);
	CHECK(!strcmp(record__cgroup(record, &id), "/a/b"));
	CHECK_EQ(id, 0x123456789abc);
	buf__truncate(&list.records, 0);
	record__add_comm(&list.records, 1, 1, "comm", TRAILER);
	pos = 0;
	CHECK(!record__cgroup(record__next(buf__span(&list.records), &pos), &id));
}

static void test_keep(void)
{
	uint64_t living[] = {1000, 3, 7777, 500};
	_cleanup_(cgroup_list__release) struct cgroup_list list = {0};
	uint64_t ids[1024];
	size_t nr;

	for (uint64_t id = 1; id <= 1000; id++)
		add(&list, id);
	cgroup_list__keep(&list, living, 4);
	nr = read_ids(&list, ids, 1024);
	CHECK_EQ(nr, 3 + CGROUP_LIST_GONE);
	CHECK_EQ(list.nr, nr);
	CHECK_EQ(ids[0], 3);
	CHECK_EQ(ids[1], 500);
	CHECK_EQ(ids[2], 1000 - CGROUP_LIST_GONE); /* 999 is the last that is gone */
	CHECK_EQ(ids[nr - 2], 999);
	CHECK_EQ(ids[nr - 1], 1000);
	cgroup_list__keep(&list, living, 4); /* nothing is left to take out */
	CHECK_EQ(read_ids(&list, ids, 1024), nr);
	cgroup_list__keep(&list, NULL, 0);
	CHECK_EQ(read_ids(&list, ids, 1024), CGROUP_LIST_GONE);
}

static void test_due(void)
{
	uint64_t living[] = {1};
	_cleanup_(cgroup_list__release) struct cgroup_list list = {0};
	uint64_t id = 1;

	while (id < 10000 && !cgroup_list__is_due(&list))
		add(&list, id++);
	CHECK_EQ(id, 257);
	cgroup_list__keep(&list, living, 1);
	CHECK(!cgroup_list__is_due(&list));
	while (id < 10000 && !cgroup_list__is_due(&list))
		add(&list, id++);
	CHECK_EQ(list.nr, 2 * list.kept + 256);
}

int main(void)
{
	test_record();
	test_keep();
	test_due();
	return check__done();
}
