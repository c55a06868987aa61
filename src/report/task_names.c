// SPDX-License-Identifier: GPL-2.0-only
#include "report/task_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Room for " and N more". */
#define MORE 32

static int by_tid(const void *a, const void *b)
{
	const struct task_name *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Sorts the list, and drops what is in it twice. Returns how many remain. */
static size_t sort(struct task_name *list, size_t nr)
{
	size_t kept = 0;

	qsort(list, nr, sizeof(*list), by_tid);
	for (size_t i = 0; i < nr; i++) {
		if (!kept || list[kept - 1].tid != list[i].tid)
			list[kept++] = list[i];
	}
	return kept;
}

void task_names__write(struct task_name *list, size_t nr, char *text, size_t size)
{
	size_t len = 0, i;

	*text = '\0';
	nr = sort(list, nr);
	for (i = 0; i < nr; i++) {
		int n = snprintf(NULL, 0, "%s %" PRId32 ", ", list[i].name, list[i].tid);

		if (len + (size_t)n + MORE > size)
			break;
		len += (size_t)sprintf(text + len, "%s%s %" PRId32, i ? ", " : "", list[i].name, list[i].tid);
	}
	if (i < nr)
		snprintf(text + len, size - len, "%s%zu more", i ? " and " : "", nr - i);
}
