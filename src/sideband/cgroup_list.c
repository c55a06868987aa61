// SPDX-License-Identifier: GPL-2.0-only
#include "sideband/cgroup_list.h"

#include <stdlib.h>
#include <string.h>

#include "perfdata/record.h"

/* With fewer new records it is not worth looking which cgroups still exist. */
#define MIN_NEW 256

void cgroup_list__add(struct cgroup_list *list, uint64_t id, const char *path, size_t trailer)
{
	record__add_cgroup(&list->records, id, path, trailer);
	list->nr++;
}

bool cgroup_list__is_due(const struct cgroup_list *list)
{
	return list->nr >= 2 * list->kept + MIN_NEW;
}

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool is_living(const struct perf_event_header *record, const uint64_t *living, size_t nr)
{
	uint64_t id = 0;

	record__cgroup(record, &id);
	return nr && bsearch(&id, living, nr, sizeof(id), compare_ids);
}

static size_t count_gone(const struct cgroup_list *list, const uint64_t *living, size_t nr)
{
	const struct perf_event_header *record;
	size_t pos = 0, gone = 0;

	while ((record = record__next(buf__span(&list->records), &pos)))
		if (!is_living(record, living, nr))
			gone++;
	return gone;
}

void cgroup_list__keep(struct cgroup_list *list, uint64_t *living, size_t nr)
{
	const struct perf_event_header *record;
	size_t gone, drop, begin = 0, pos = 0, to = 0;

	if (nr)
		qsort(living, nr, sizeof(*living), compare_ids);
	gone = count_gone(list, living, nr);
	drop = gone > CGROUP_LIST_GONE ? gone - CGROUP_LIST_GONE : 0;

	for (; (record = record__next(buf__span(&list->records), &pos)); begin = pos) {
		if (drop && !is_living(record, living, nr)) {
			drop--;
			list->nr--;
			continue;
		}
		memmove(list->records.data + to, list->records.data + begin, pos - begin);
		to += pos - begin;
	}
	buf__truncate(&list->records, to);
	buf__shrink(&list->records);
	list->kept = list->nr;
}

void cgroup_list__release(struct cgroup_list *list)
{
	buf__release(&list->records);
	*list = (struct cgroup_list){0};
}
