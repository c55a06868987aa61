/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory of the snapshots: it is our own, no one else can write to it, and one recorder at a time uses
 * it. All below it is reached through its descriptor.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_DIR_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_DIR_H

#include "base/cleanup.h"

struct snapshot_dir;

/*
 * Makes the directory @path with mode 0700 unless it is there, and keeps others from recording into it:
 * -EBUSY if another auxbpf does. A directory that belongs to another user or that others can write is
 * refused, and so is another user's symbolic link to one. Logs; 0 or a negative errno.
 */
int snapshot_dir__open(const char *path, struct snapshot_dir **ret) _must_check_ _nonnull_(1, 2);

/* Returns the path as it was given. */
const char *snapshot_dir__path(const struct snapshot_dir *dir) _nonnull_(1);

/* Returns its descriptor, whose number never changes. */
int snapshot_dir__fd(const struct snapshot_dir *dir) _nonnull_(1);

/*
 * Looks whether the directory still has its name. If it was renamed or removed it is made anew, with a
 * warning, and the descriptor is that of the new one: 1. 0 if all is as before, or if it cannot be made anew
 * but is still there under another name; a negative errno (logged) if it no longer exists. May be called by
 * one thread only.
 */
int snapshot_dir__look(struct snapshot_dir *dir) _must_check_ _nonnull_(1);

void snapshot_dir__free(struct snapshot_dir *dir);

DEFINE_CLEANUP(snapshot_dir, struct snapshot_dir *, snapshot_dir__free)

#endif
