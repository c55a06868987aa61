// SPDX-License-Identifier: GPL-2.0-only
#include "calls/sample_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Goes on to the path below *@path, and counts the sample there. */
static int go_in(struct call_path **path, function_id function, bool is_kernel)
{
	const struct call_path key = {.function = function, .is_kernel = is_kernel};

	*path = call_path__get(*path, &key);
	if (!*path)
		return -ENOMEM;
	(*path)->calls++;
	return 0;
}

struct call_path *sample_paths__add(struct call_path *root, const struct function_names *names,
				    const struct sample *sample, const struct sample_frame *frames)
{
	struct call_path *path = root;
	int err = go_in(&path, sample->event, false);

	for (uint32_t i = sample->nr; !err && i-- > 0;)
		err = go_in(&path, function_names__same(names, frames[i].function), frames[i].is_kernel);
	if (err)
		return NULL;
	root->calls++;
	path->self++;
	return path;
}

struct sorted_path {
	struct call_path *path;
	const char *name;
};

static int by_samples(const void *a, const void *b)
{
	const struct sorted_path *x = a, *y = b;

	if (x->path->calls != y->path->calls)
		return x->path->calls < y->path->calls ? 1 : -1;
	if (x->path->is_kernel != y->path->is_kernel)
		return x->path->is_kernel ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int sort_below(struct call_path *parent, const struct function_names *names)
{
	_cleanup_free_ struct sorted_path *sorted = NULL;
	size_t nr = 0, i = 0;

	for (const struct call_path *path = parent->first; path; path = path->next)
		nr++;
	if (nr < 2)
		return 0;
	sorted = calloc(nr, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (struct call_path *path = parent->first; path; path = path->next)
		sorted[i++] = (struct sorted_path){path, function_names__get(names, path->function)->name};
	qsort(sorted, nr, sizeof(*sorted), by_samples);
	for (i = 0; i < nr; i++)
		sorted[i].path->next = i + 1 < nr ? sorted[i + 1].path : NULL;
	parent->first = sorted[0].path;
	return 0;
}

int sample_paths__sort(struct call_path *root, const struct function_names *names)
{
	int err = 0;

	for (const struct call_path *path = root; path && !err; path = call_path__next(path))
		err = sort_below((struct call_path *)(uintptr_t)path, names);
	return err;
}
