// SPDX-License-Identifier: GPL-2.0-only
#include "report/typical_windows.h"

#include <errno.h>
#include <string.h>

static bool is_other(const struct typical_windows *t, const struct window *w)
{
	return w->is_over && !(t->chosen && t->chosen[w->number - 1]) && !strcmp(w->name, t->name);
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int typical_windows__find(struct typical_windows *t, const struct windows *windows, const char *name,
			  const bool *chosen)
{
	_cleanup_free_ uint64_t *durations = calloc(windows->nr + 1, sizeof(*durations));

	*t = (struct typical_windows){.name = name, .chosen = chosen};
	if (!durations)
		return -ENOMEM;
	for (size_t i = 0; i < windows->nr; i++) {
		if (is_other(t, &windows->list[i]))
			durations[t->nr++] = window__duration(&windows->list[i]);
	}
	if (!t->nr)
		return 0;
	qsort(durations, t->nr, sizeof(*durations), by_size);
	t->median = durations[(t->nr - 1) / 2];
	t->low = durations[t->nr / 4];
	t->high = durations[t->nr - 1 - t->nr / 4];
	return 0;
}

bool typical_windows__has(const struct typical_windows *t, const struct window *w)
{
	return is_other(t, w) && window__duration(w) >= t->low && window__duration(w) <= t->high;
}
