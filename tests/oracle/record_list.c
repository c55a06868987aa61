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

void record_list__release(struct record_list *list)
{
	free(list->rec);
	*list = (struct record_list){0};
}
