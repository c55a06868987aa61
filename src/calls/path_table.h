/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Paths: the chains of functions by which calls of a window are made, from its first call on. They are numbered once for
 * all windows, so that what calls took can be added up and compared by path.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_PATH_TABLE_H
#define AUXBPF_CALLS_PATH_TABLE_H

#include "calls/call_names.h"

/* 0 is the window itself, which has no function. A path has a higher number than the one it goes on from. */
typedef uint32_t path_id;

/* There are at most so many paths. They take 8 MiB then. */
#define PATH_TABLE_MAX (1u << 19)

struct numbered_path {
	path_id parent;
	call_step step; /* its last one */
};

/* Zero-initialised is empty and valid; path_table__get() adds the window itself. */
struct path_table {
	struct buf list; /* of struct numbered_path, by number */
	path_id *slots;	 /* a hash of them; 0: free */
	size_t nr_slots; /* a power of two, or 0 */
};

/*
 * Finds the path that goes on from @parent with @step, or adds it. Returns 0, -ENOSPC if there are too many paths, or
 * -ENOMEM.
 */
int path_table__get(struct path_table *paths, path_id parent, call_step step, path_id *ret) _must_check_
	_nonnull_(1, 4);
void path_table__release(struct path_table *paths) _nonnull_(1);

/* Returns the array of all paths, valid until one is added. */
const struct numbered_path *path_table__list(const struct path_table *paths) _must_check_ _nonnull_(1);

/* How many paths there are, the window itself among them. */
static inline size_t path_table__nr(const struct path_table *paths)
{
	return paths->list.len ? paths->list.len / sizeof(struct numbered_path) : 1;
}

/*
 * Lists the steps of a path, the first one first, as an array for the caller to free, with @nr of them. NULL if there is
 * no memory.
 */
call_step *path_table__steps(const struct path_table *paths, path_id path, size_t *nr) _must_check_
	_nonnull_(1, 3);

#endif
