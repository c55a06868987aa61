// SPDX-License-Identifier: GPL-2.0-only
#include "calls/typical_profile.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

struct record {
	path_id path;
	uint32_t window;
	struct path_values values;
};

static size_t nr_records(const struct typical_profile *t)
{
	return t->records.len / sizeof(struct record);
}

/* Leaves out every second window that was kept. */
static void thin_out(struct typical_profile *t)
{
	struct record *list = (struct record *)(void *)t->records.data;
	size_t nr = 0;

	t->step *= 2;
	for (size_t i = 0; i < nr_records(t); i++) {
		if (list[i].window % t->step == 0)
			list[nr++] = list[i];
	}
	buf__truncate(&t->records, nr * sizeof(*list));
	t->nr = (t->nr + 1) / 2;
}

static size_t count_paths(const struct call_profile *profile)
{
	size_t nr = 0;

	for (size_t path = 0; path < profile->nr; path++)
		nr += !!profile->values[path].calls;
	return nr;
}

int typical_profile__add(struct typical_profile *t, const struct call_profile *profile)
{
	uint32_t window = t->seen++;

	if (!t->step)
		t->step = 1;
	while (t->nr > 1 && nr_records(t) + count_paths(profile) > t->max)
		thin_out(t);
	if (window % t->step)
		return 0;
	t->nr++;
	for (path_id path = 0; path < profile->nr; path++) {
		const struct record record = {
			.path = path, .window = window, .values = profile->values[path]};

		if (record.values.calls)
			buf__add(&t->records, &record, sizeof(record));
	}
	return buf__error(&t->records);
}

static int by_path(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return (x->path > y->path) - (x->path < y->path);
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of a member of @nr records, and of zeros up to @nr_windows; @values has room for @nr. */
static uint64_t median(const struct record *records, size_t nr, size_t nr_windows, size_t member,
		       uint64_t *values)
{
	size_t middle = (nr_windows - 1) / 2, zeros = nr_windows - nr;

	if (middle < zeros)
		return 0;
	for (size_t i = 0; i < nr; i++)
		memcpy(&values[i], (const char *)&records[i].values + member, sizeof(*values));
	qsort(values, nr, sizeof(*values), by_size);
	return values[middle - zeros];
}

static void add_medians(struct call_profile *to, const struct record *records, size_t nr, uint64_t *values,
			size_t nr_windows)
{
	for (size_t begin = 0, end; begin < nr; begin = end) {
		const struct record *r = &records[begin];
		struct path_values *v = &to->values[r->path];

		for (end = begin; end < nr && records[end].path == r->path;)
			end++;
		v->calls = median(r, end - begin, nr_windows, offsetof(struct path_values, calls), values);
		v->total = median(r, end - begin, nr_windows, offsetof(struct path_values, total), values);
		v->self = median(r, end - begin, nr_windows, offsetof(struct path_values, self), values);
	}
}

int typical_profile__get(const struct typical_profile *t, struct call_profile *ret)
{
	size_t nr = nr_records(t);
	_cleanup_free_ struct record *sorted = malloc((nr + 1) * sizeof(*sorted));
	_cleanup_free_ uint64_t *values = calloc((size_t)t->nr + 1, sizeof(*values));

	*ret = (struct call_profile){0};
	if (!sorted || !values)
		return -ENOMEM;
	if (!nr)
		return 0;
	memcpy(sorted, t->records.data, nr * sizeof(*sorted));
	qsort(sorted, nr, sizeof(*sorted), by_path);
	ret->nr = (size_t)sorted[nr - 1].path + 1;
	ret->values = calloc(ret->nr, sizeof(*ret->values));
	if (!ret->values)
		return -ENOMEM;
	add_medians(ret, sorted, nr, values, t->nr);
	return 0;
}

void typical_profile__release(struct typical_profile *t)
{
	buf__release(&t->records);
	*t = (struct typical_profile){.max = t->max};
}
