// SPDX-License-Identifier: GPL-2.0-only
#include "sideband/task_maps.h"

#include <errno.h>
#include <linux/mman.h>
#include <stdbool.h>
#include <string.h>

/*
 * A mapping, which its pieces share, also those in the sets of forked processes. References are counted
 * atomically, since a set that shares something with another one may be another thread's.
 */
struct mapped {
	size_t refs;
	struct record_mmap map; /* the mapping as it was made, without its name */
	char name[];
};

/*
 * A set of mappings is a treap of pieces: a binary tree by address that is also a heap by @priority, which is
 * random. So its depth is about the logarithm of its size, in whatever order mappings come. Sets share the
 * nodes that they have in common. A node that has one reference, and whose parents have one each, is changed
 * in place; others are copied first. No two pieces overlap.
 */
struct task_maps {
	size_t refs;
	uint32_t priority;
	size_t nr; /* of nodes from this one down, like @bytes */
	size_t bytes;
	struct task_maps *left;
	struct task_maps *right;
	uint64_t start;
	uint64_t end;
	struct mapped *mapped;
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

static void add_ref(size_t *refs)
{
	__atomic_fetch_add(refs, 1, __ATOMIC_RELAXED);
}

/* Returns whether it was the last reference. */
static bool drop_ref(size_t *refs)
{
	return __atomic_fetch_sub(refs, 1, __ATOMIC_ACQ_REL) == 1;
}

static void mapped__put(struct mapped *m)
{
	if (drop_ref(&m->refs))
		free(m);
}

/*
 * Mixes the address of the node and that of the mapping. Whoever chooses the latter does not know the former.
 */
static uint32_t random_priority(const void *node, uint64_t start)
{
	uint64_t x = (uint64_t)(uintptr_t)node * 0x9e3779b97f4a7c15ull ^ start;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (uint32_t)(x >> 32);
}

static void update(struct task_maps *node)
{
	node->nr = 1 + task_maps__nr(node->left) + task_maps__nr(node->right);
	node->bytes = record__mmap2_len(node->mapped->name) + task_maps__bytes(node->left) +
		      task_maps__bytes(node->right);
}

/* Returns NULL without memory. */
static struct task_maps *new_node(uint64_t start, uint64_t end, struct mapped *mapped)
{
	struct task_maps *node = malloc(sizeof(*node));

	if (!node)
		return NULL;
	*node = (struct task_maps){.refs = 1, .start = start, .end = end, .mapped = mapped};
	node->priority = random_priority(node, start);
	add_ref(&mapped->refs);
	update(node);
	return node;
}

/*
 * Returns @node for the caller alone, or a copy, in exchange for the caller's reference. Returns NULL without
 * memory, and then that reference is gone.
 */
static struct task_maps *own(struct task_maps *node)
{
	struct task_maps *copy;

	if (__atomic_load_n(&node->refs, __ATOMIC_ACQUIRE) == 1)
		return node;
	copy = malloc(sizeof(*copy));
	if (copy) {
		*copy = (struct task_maps){
			.refs = 1,
			.priority = node->priority,
			.nr = node->nr,
			.bytes = node->bytes,
			.left = task_maps__share(node->left),
			.right = task_maps__share(node->right),
			.start = node->start,
			.end = node->end,
			.mapped = node->mapped,
		};
		add_ref(&copy->mapped->refs);
	}
	task_maps__release(node);
	return copy;
}

/*
 * Splits @node: pieces that begin before @addr go to @left, the others to @right. The last piece of @left and
 * all that is above it have no other owner then. Returns false without memory: what could not be copied is in
 * neither.
 */
static bool split(struct task_maps *node, uint64_t addr, struct task_maps **left, struct task_maps **right)
{
	bool done;

	*left = *right = NULL;
	if (!node)
		return true;
	node = own(node);
	if (!node)
		return false;
	if (node->start < addr) {
		done = split(node->right, addr, &node->right, right);
		*left = node;
	} else {
		done = split(node->left, addr, left, &node->left);
		*right = node;
	}
	update(node);
	return done;
}

/*
 * Joins two sets, of which @left is before @right. Without memory @err is set, and what could not be copied
 * is left out.
 */
static struct task_maps *join(struct task_maps *left, struct task_maps *right, int *err)
{
	struct task_maps *top;

	if (!left || !right)
		return left ?: right;
	if (left->priority > right->priority) {
		top = own(left);
		if (top)
			top->right = join(top->right, right, err);
		else
			task_maps__release(right);
	} else {
		top = own(right);
		if (top)
			top->left = join(left, top->left, err);
		else
			task_maps__release(left);
	}
	if (top)
		update(top);
	else
		*err = -ENOMEM;
	return top;
}

static struct task_maps *last(struct task_maps *node)
{
	while (node && node->right)
		node = node->right;
	return node;
}

/*
 * Appends a piece of @mapped from @start to @end, which is behind all of @maps. An empty piece is left out.
 */
static struct task_maps *append(struct task_maps *maps, uint64_t start, uint64_t end, struct mapped *mapped,
				int *err)
{
	struct task_maps *node = NULL;

	if (start >= end)
		return maps;
	node = new_node(start, end, mapped);
	if (!node)
		*err = -ENOMEM;
	return join(maps, node, err);
}

/* Puts @mapped (NULL: a hole) from @start to @end, in place of what is there. */
static int replace(struct task_maps **maps, uint64_t start, uint64_t end, struct mapped *mapped)
{
	struct task_maps *before, *inside, *behind, *reaches;
	int err = 0;

	if (!split(*maps, start, &before, &behind))
		err = -ENOMEM;
	if (!split(behind, end, &inside, &behind))
		err = -ENOMEM;
	*maps = before;
	/* Only one piece reaches beyond the end: the last that begins before it. */
	reaches = last(inside) ?: last(before);
	if (reaches && reaches->end > end)
		behind = join(append(NULL, end, reaches->end, reaches->mapped, &err), behind, &err);
	reaches = last(before);
	if (reaches && reaches->end > start)
		reaches->end = start;
	task_maps__release(inside);
	if (mapped)
		*maps = append(*maps, start, end, mapped, &err);
	*maps = join(*maps, behind, &err);
	return err;
}

/*
 * Tells whether a mapping is kept. Code is, and so are read-only mappings of files, since they have tables to
 * unwind by. The latter come only if the kernel was asked for records of data.
 */
static bool is_kept(const struct record_mmap *map)
{
	return map->prot & PROT_EXEC || (!(map->prot & PROT_WRITE) && *map->name == '/');
}

int task_maps__put(struct task_maps **maps, const struct record_mmap *map)
{
	uint64_t end = map->start + map->len;
	struct mapped *mapped;
	int err;

	if (end <= map->start)
		return 0;
	if (!is_kept(map))
		return replace(maps, map->start, end, NULL);
	mapped = mapped__new(map);
	if (!mapped)
		return -ENOMEM;
	err = replace(maps, map->start, end, mapped);
	mapped__put(mapped);
	return err;
}

int task_maps__cut(struct task_maps **maps, uint64_t start, uint64_t end)
{
	return start < end ? replace(maps, start, end, NULL) : 0;
}

struct task_maps *task_maps__share(struct task_maps *maps)
{
	if (maps)
		add_ref(&maps->refs);
	return maps;
}

void task_maps__release(struct task_maps *maps)
{
	if (!maps || !drop_ref(&maps->refs))
		return;
	task_maps__release(maps->left);
	task_maps__release(maps->right);
	mapped__put(maps->mapped);
	free(maps);
}

size_t task_maps__nr(const struct task_maps *maps)
{
	return maps ? maps->nr : 0;
}

size_t task_maps__bytes(const struct task_maps *maps)
{
	return maps ? maps->bytes : 0;
}

static bool is_same(const struct record_mmap *a, const struct record_mmap *b)
{
	return a->start == b->start && a->len == b->len && a->pgoff == b->pgoff && !strcmp(a->name, b->name);
}

bool task_maps__has(const struct task_maps *maps, const struct task_maps *part)
{
	struct record_mmap map, other;
	size_t at = 0;

	for (size_t i = 0; i < task_maps__nr(part); i++, at++) {
		task_maps__get(part, i, &map);
		do {
			if (at == task_maps__nr(maps))
				return false;
			task_maps__get(maps, at, &other);
		} while (other.start < map.start && ++at);
		if (!is_same(&map, &other))
			return false;
	}
	return true;
}

static const struct task_maps *find(const struct task_maps *maps, size_t i)
{
	size_t before;

	while (i != (before = task_maps__nr(maps->left))) {
		if (i < before) {
			maps = maps->left;
		} else {
			i -= before + 1;
			maps = maps->right;
		}
	}
	return maps;
}

void task_maps__get(const struct task_maps *maps, size_t i, struct record_mmap *ret)
{
	const struct task_maps *piece = find(maps, i);

	*ret = piece->mapped->map;
	ret->name = piece->mapped->name;
	ret->pgoff += piece->start - ret->start;
	ret->start = piece->start;
	ret->len = piece->end - piece->start;
}
