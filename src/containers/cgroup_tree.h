/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroup v2 hierarchy of the machine, also beside v1 ("hybrid"): its cgroups, their ids, their processes.
 *
 * Paths here are relative to the root of the hierarchy and begin with "/", as in /proc/PID/cgroup; "/" is the
 * root. An id is what BPF sees as cgroup->kn->id: on 64-bit machines the inode number of the directory
 * (include/linux/kernfs.h, kernfs_id_ino()).
 */
#ifndef AUXBPF_CONTAINERS_CGROUP_TREE_H
#define AUXBPF_CONTAINERS_CGROUP_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct cgroup_tree;

/*
 * Finds the hierarchy in /proc/self/mountinfo under @root, which must outlive the tree. -ENOTSUP if none of
 * version 2 is mounted. Errors are logged.
 */
int cgroup_tree__open(const char *root, struct cgroup_tree **ret) _must_check_ _nonnull_(1, 2);
void cgroup_tree__free(struct cgroup_tree *tree);
DEFINE_CLEANUP(cgroup_tree, struct cgroup_tree *, cgroup_tree__free)
#define _cleanup_cgroup_tree_ _cleanup_(cleanup__cgroup_tree)

/* Returns the root that the tree was opened with. */
const char *cgroup_tree__root(const struct cgroup_tree *tree) _nonnull_(1);

/* Returns @path without the mount point, or NULL if it does not begin with that; points into @path, "" is the
 * root. */
const char *cgroup_tree__strip(const struct cgroup_tree *tree, const char *path) _nonnull_(1, 2);

/*
 * Finds the path of the cgroup that a user names by @text: a path below the mount point, a path relative to
 * the hierarchy's root (with "/" at its start or without), or a decimal id. The caller frees *@path. -ENOENT
 * if there is no such cgroup; errors are logged, with names that are near.
 */
int cgroup_tree__find(const struct cgroup_tree *tree, const char *text, char **path) _must_check_
	_nonnull_(1, 2, 3);

/* Reads the id of a cgroup. Negative errno: -ENOENT if it is not there. Logs nothing. */
int cgroup_tree__id(const struct cgroup_tree *tree, const char *path, uint64_t *ret) _must_check_
	_nonnull_(1, 2, 3);

/* Reads who owns a cgroup's directory: root, or the user to whom it was delegated. Errors as for
 * cgroup_tree__id(). */
int cgroup_tree__owner(const struct cgroup_tree *tree, const char *path, uid_t *ret) _must_check_
	_nonnull_(1, 2, 3);

/*
 * Called for each cgroup; a result other than 0 ends the walk. @path is valid during the call only, and NULL
 * if it has PATH_MAX bytes or more: no program can name such a cgroup, but tasks can be in it.
 */
typedef int (*cgroup_visit_fn)(void *ctx, const char *path, uint64_t id);

/*
 * Visits the cgroup @path and all below it, parents before their children. Cgroups that vanish meanwhile are
 * passed over. Returns 0, what @visit returned, or a negative errno: -ENOENT if there is no @path. Logs
 * nothing.
 */
int cgroup_tree__walk(const struct cgroup_tree *tree, const char *path, cgroup_visit_fn visit,
		      void *ctx) _must_check_ _nonnull_(1, 2, 3);

/*
 * Writes the ids of one process of the cgroup @path, and of one of each cgroup below it, to @pids: at most
 * @max. Returns how many there are; a cgroup without processes, or that is not there, has none.
 */
size_t cgroup_tree__pids(const struct cgroup_tree *tree, const char *path, int *pids, size_t max)
	_nonnull_(1, 2, 3);

/* Cgroups with all their descendants. A zero-initialised set is empty. */
struct cgroup_set {
	/* The ids of all of them in any order; an id may be there twice. */
	uint64_t *ids;
	size_t nr;
	size_t cap;
};

/*
 * Adds the cgroup @path and its descendants. A cgroup that is made below it while this runs may be missed:
 * start the programs that notice new cgroups before. -ENAMETOOLONG for a path of AUXBPF_CGROUP_PATH bytes and
 * more: BPF compares it with those of new cgroups. -ENOENT if it is gone; other errors are logged.
 */
int cgroup_tree__add_subtree(const struct cgroup_tree *tree, const char *path,
			     struct cgroup_set *set) _must_check_ _nonnull_(1, 2, 3);
void cgroup_set__release(struct cgroup_set *set) _nonnull_(1);
#define _cleanup_cgroup_set_ _cleanup_(cgroup_set__release)

#endif
