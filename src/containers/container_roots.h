/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the root directories of targets open if they are not our own. The programs in them are read when the
 * capture is written, and by then the processes, and with them the way to the files, may be gone.
 */
#ifndef AUXBPF_CONTAINERS_CONTAINER_ROOTS_H
#define AUXBPF_CONTAINERS_CONTAINER_ROOTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "containers/cgroup_tree.h"
#include "files/file_helper.h"
#include "perfdata/record.h"

struct container_roots;

/* @root is the directory that has /proc; it must outlive the object. */
int container_roots__new(const char *root, struct container_roots **ret) _must_check_ _nonnull_(1, 2);
void container_roots__free(struct container_roots *roots);
DEFINE_CLEANUP(container_roots, struct container_roots *, container_roots__free)
#define _cleanup_container_roots_ _cleanup_(cleanup__container_roots)

/*
 * Opens the root of a process, unless it is known or our own; if there are very many, the oldest makes place.
 * A process is passed over that is gone, or that still has our own root because its runtime has not changed
 * it yet: ask again later.
 */
void container_roots__add_pid(struct container_roots *roots, int pid) _nonnull_(1);

/* Does the same for a process of the cgroup @path, and for one of each cgroup below it. */
void container_roots__add_cgroup(struct container_roots *roots, const struct cgroup_tree *tree,
				 const char *path) _nonnull_(1, 2, 3);

/* Returns how many there are beside our own; to be asked by the thread that adds. */
size_t container_roots__nr(const struct container_roots *roots) _nonnull_(1);

/*
 * Finds with @helper the file that has this name and this build id, in our own root or else in one of the
 * others; @own tells which. -ENOENT if there is none, or it cannot be had in time. Another thread may add
 * roots meanwhile.
 */
int container_roots__open(struct container_roots *roots, struct file_helper *helper, const char *name,
			  const struct build_id *id, bool *own) _must_check_ _nonnull_(1, 2, 3, 4, 5);

#endif
