// SPDX-License-Identifier: GPL-2.0-only
#include "pure/task_maps.h"

#include <errno.h>
#include <linux/mman.h>
#include <stdbool.h>
#include <string.h>

/* What the pieces of a mapping and the sets of forked processes have in common. */
struct mapped {
	size_t refs;
	struct record_mmap map; /* as it was made, without its name */
	char name[];
};

struct piece {
	uint64_t start;
	uint64_t end;
	struct mapped *mapped;
};

struct task_maps {
	size_t refs;
	size_t nr;
	struct piece pieces[]; /* by address, none overlap */
};

static struct mapped *mapped__new(const struct record_mmap *map)
{
	size_t len = strlen(map->name) + 1;
	struct mapped *m = malloc(sizeof(*m) + len);

	if (!m)
		return NULL;
	m->refs = 1;
	m->map = *map;
	m->map.name = NULL;
	memcpy(m->name, map->name, len);
	return m;
}

static void mapped__put(struct mapped *m)
{
	if (!--m->refs)
		free(m);
}

static size_t first_behind(const struct task_maps *maps, uint64_t addr)
{
	size_t low = 0, high = task_maps__nr(maps);

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (maps->pieces[mid].end > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static void add_piece(struct task_maps *maps, uint64_t start, uint64_t end, struct mapped *mapped)
{
	if (start >= end)
		return;
	maps->pieces[maps->nr++] = (struct piece){start, end, mapped};
	mapped->refs++;
}

static void add_pieces(struct task_maps *maps, const struct task_maps *from, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		add_piece(maps, from->pieces[i].start, from->pieces[i].end, from->pieces[i].mapped);
}

/*
 * A new set, @old with @mapped (NULL: a hole) from @start to @end. A mapping is rare, beside what else a
 * process does, so there is one way for sets that are shared and those that are not.
 */
static struct task_maps *rebuild(const struct task_maps *old, uint64_t start, uint64_t end,
				 struct mapped *mapped)
{
	size_t nr = task_maps__nr(old), i = first_behind(old, start), from = i;
	struct task_maps *maps = malloc(sizeof(*maps) + (nr + 2) * sizeof(maps->pieces[0]));

	if (!maps)
		return NULL;
	*maps = (struct task_maps){.refs = 1};
	add_pieces(maps, old, 0, i);
	if (i < nr)
		add_piece(maps, old->pieces[i].start, start, old->pieces[i].mapped);
	if (mapped)
		add_piece(maps, start, end, mapped);
	while (i < nr && old->pieces[i].start < end)
		i++;
	if (i > from)
		add_piece(maps, end, old->pieces[i - 1].end, old->pieces[i - 1].mapped);
	add_pieces(maps, old, i, nr);
	return maps;
}

/* Code, and of files what is only read: tables to unwind by, if the kernel was asked to tell of data. */
static bool is_kept(const struct record_mmap *map)
{
	return map->prot & PROT_EXEC || (!(map->prot & PROT_WRITE) && *map->name == '/');
}

int task_maps__put(struct task_maps **maps, const struct record_mmap *map)
{
	uint64_t end = map->start + map->len;
	struct mapped *mapped = NULL;
	struct task_maps *now;

	if (end <= map->start)
		return 0;
	if (is_kept(map)) {
		mapped = mapped__new(map);
		if (!mapped)
			return -ENOMEM;
	}
	now = rebuild(*maps, map->start, end, mapped);
	if (mapped)
		mapped__put(mapped);
	if (!now)
		return -ENOMEM;
	task_maps__release(*maps);
	*maps = now;
	return 0;
}

struct task_maps *task_maps__share(struct task_maps *maps)
{
	if (maps)
		maps->refs++;
	return maps;
}

void task_maps__release(struct task_maps *maps)
{
	if (!maps || --maps->refs)
		return;
	for (size_t i = 0; i < maps->nr; i++)
		mapped__put(maps->pieces[i].mapped);
	free(maps);
}

size_t task_maps__nr(const struct task_maps *maps)
{
	return maps ? maps->nr : 0;
}

void task_maps__get(const struct task_maps *maps, size_t i, struct record_mmap *ret)
{
	const struct piece *piece = &maps->pieces[i];

	*ret = piece->mapped->map;
	ret->name = piece->mapped->name;
	ret->pgoff += piece->start - ret->start;
	ret->start = piece->start;
	ret->len = piece->end - piece->start;
}
