/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory of the snapshots: one of our own, which no one else can write, and which one recorder has at a time.
 * All below it is reached by its descriptor.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_DIR_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_DIR_H

#include "base/cleanup.h"

struct snapshot_dir;

/*
 * Makes the directory @path unless it is there, mode 0700, and keeps others from recording into it: -EBUSY if
 * somebody does. One that belongs to another user, that others can write, or a symbolic link of another user to
 * one is refused. Logs; 0 or a negative errno.
 */
int snapshot_dir__open(const char *path, struct snapshot_dir **ret) _must_check_ _nonnull_(1, 2);

/* As it was given. */
const char *snapshot_dir__path(const struct snapshot_dir *dir) _nonnull_(1);

/* Its descriptor, the same all the time. */
int snapshot_dir__fd(const struct snapshot_dir *dir) _nonnull_(1);

/*
 * Looks whether it still has its name. If it was renamed or removed it is made anew, which is said, and the
 * descriptor is that of the new one: 1. 0 if all is as before, also where it cannot be made anew but is still
 * there, under another name; a negative errno (logged) if there is none any more. By one thread.
 */
int snapshot_dir__look(struct snapshot_dir *dir) _must_check_ _nonnull_(1);

void snapshot_dir__free(struct snapshot_dir *dir);

DEFINE_CLEANUP(snapshot_dir, struct snapshot_dir *, snapshot_dir__free)

#endif
