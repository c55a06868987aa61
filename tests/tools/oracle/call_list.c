// SPDX-License-Identifier: GPL-2.0-only
#include "call_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct call_list *call_lists__get(struct call_lists *lists, int32_t tid)
{
	struct call_list *grown;

	for (size_t i = 0; i < lists->nr; i++) {
		if (lists->lists[i].tid == tid)
			return &lists->lists[i];
	}
	grown = reallocarray(lists->lists, lists->nr + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	lists->lists = grown;
	grown[lists->nr] = (struct call_list){.tid = tid};
	return &grown[lists->nr++];
}

int call_list__add(struct call_list *list, const char *function, uint64_t place)
{
	size_t cap = list->cap ? list->cap * 2 : 1024;
	char *copy = function ? strdup(function) : NULL;

	if (function && !copy)
		return -ENOMEM;
	if (list->nr == list->cap) {
		struct call_mark *grown = reallocarray(list->marks, cap, sizeof(*grown));

		if (!grown) {
			free(copy);
			return -ENOMEM;
		}
		list->marks = grown;
		list->cap = cap;
	}
	list->marks[list->nr++] = (struct call_mark){.function = copy, .place = place};
	list->nr_calls += !!function;
	return 0;
}

void call_lists__release(struct call_lists *lists)
{
	for (size_t i = 0; i < lists->nr; i++) {
		for (size_t j = 0; j < lists->lists[i].nr; j++)
			free(lists->lists[i].marks[j].function);
		free(lists->lists[i].marks);
	}
	free(lists->lists);
	*lists = (struct call_lists){0};
}
