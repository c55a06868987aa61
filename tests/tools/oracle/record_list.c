// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "record_list.h"

int record_list__add(struct record_list *list, const struct oracle_record *rec)
{
	if (list->nr == list->cap) {
		uint64_t cap = list->cap ? 2 * list->cap : 64;
		const struct oracle_record **mem = realloc(list->rec, cap * sizeof(*mem));

		if (!mem)
			return -ENOMEM;
		list->rec = mem;
		list->cap = cap;
	}
	list->rec[list->nr++] = rec;
	return 0;
}

static int compare_branches(const void *a, const void *b)
{
	const struct oracle_record *x = *(const struct oracle_record *const *)a;
	const struct oracle_record *y = *(const struct oracle_record *const *)b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

void record_list__unique(struct record_list *list)
{
	uint64_t nr = 0;

	if (!list->nr)
		return;
	qsort(list->rec, list->nr, sizeof(*list->rec), compare_branches);
	for (uint64_t i = 1; i < list->nr; i++)
		if (compare_branches(&list->rec[nr], &list->rec[i]) != 0)
			list->rec[++nr] = list->rec[i];
	list->nr = nr + 1;
}

void record_list__release(struct record_list *list)
{
	free(list->rec);
	*list = (struct record_list){0};
}
