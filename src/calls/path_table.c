// SPDX-License-Identifier: GPL-2.0-only
#include "calls/path_table.h"

#include <errno.h>

const struct numbered_path *path_table__list(const struct path_table *paths)
{
	return (const struct numbered_path *)(const void *)paths->list.data;
}

static size_t hash(path_id parent, call_step step)
{
	return (size_t)((((uint64_t)parent << 32) + step) * 0x9e3779b97f4a7c15u >> 24);
}

/* Finds the slot of a path, or the free one where it belongs. */
static path_id *find_slot(const struct path_table *paths, path_id parent, call_step step)
{
	const struct numbered_path *list = path_table__list(paths);
	size_t i = hash(parent, step) & (paths->nr_slots - 1);

	while (paths->slots[i] &&
	       (list[paths->slots[i]].parent != parent || list[paths->slots[i]].step != step))
		i = (i + 1) & (paths->nr_slots - 1);
	return &paths->slots[i];
}

static int grow(struct path_table *paths)
{
	const struct numbered_path *list = path_table__list(paths);
	size_t nr = paths->nr_slots ? paths->nr_slots * 2 : 1024;
	path_id *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(paths->slots);
	paths->slots = slots;
	paths->nr_slots = nr;
	for (path_id id = 1; id < path_table__nr(paths); id++)
		*find_slot(paths, list[id].parent, list[id].step) = id;
	return 0;
}

int path_table__get(struct path_table *paths, path_id parent, call_step step, path_id *ret)
{
	const struct numbered_path path = {.parent = parent, .step = step};
	path_id *slot;
	int err;

	if (!paths->list.len)
		buf__add(&paths->list, NULL, sizeof(path));
	err = path_table__nr(paths) * 2 > paths->nr_slots ? grow(paths) : 0;
	if (err)
		return err;
	slot = find_slot(paths, parent, step);
	*ret = *slot;
	if (*slot)
		return 0;
	if (path_table__nr(paths) >= PATH_TABLE_MAX)
		return -ENOSPC;
	*ret = (path_id)path_table__nr(paths);
	buf__add(&paths->list, &path, sizeof(path));
	err = buf__error(&paths->list);
	if (!err)
		*slot = *ret;
	return err;
}

void path_table__release(struct path_table *paths)
{
	buf__release(&paths->list);
	free(paths->slots);
	*paths = (struct path_table){0};
}

call_step *path_table__steps(const struct path_table *paths, path_id path, size_t *nr)
{
	const struct numbered_path *list = path_table__list(paths);
	call_step *steps;
	size_t at = 0;

	for (path_id id = path; id; id = list[id].parent)
		at++;
	*nr = at;
	steps = calloc(at + 1, sizeof(*steps));
	if (!steps)
		return NULL;
	for (path_id id = path; id; id = list[id].parent)
		steps[--at] = list[id].step;
	return steps;
}
