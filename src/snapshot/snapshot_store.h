/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory of the snapshots and the room that they take there. It removes the oldest of them, those of
 * earlier sessions too, and never anything else: only what has the name of a snapshot and is a capture. Any
 * thread may ask for the room; one thread adds and removes.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_STORE_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/cleanup.h"
#include "snapshot/snapshot_dir.h"
#include "snapshot/snapshot_limits.h"

struct snapshot_store;

/*
 * Looks what is in @dir, which must outlive it, and removes unfinished files of a recorder that was killed.
 * @removed is told of each snapshot that is removed. Logs; 0 or a negative errno.
 */
typedef void (*snapshot_removed_fn)(void *ctx, const char *name);
int snapshot_store__open(const struct snapshot_dir *dir, snapshot_removed_fn removed, void *ctx,
			 struct snapshot_store **ret) _must_check_ _nonnull_(1, 2, 4);

/*
 * Looks again, as the directory is another one now. To be called by the thread that adds. Logs; 0 or a
 * negative errno.
 */
int snapshot_store__look(struct snapshot_store *store) _must_check_ _nonnull_(1);

/*
 * Makes the name of the next snapshot, taken at @time. The names sort by age, and a new one never exists
 * already. May be called by one thread only.
 */
void snapshot_store__name(struct snapshot_store *store, const struct timespec *time, char *name, size_t size)
	_nonnull_(1, 2, 3);

/*
 * Returns how much the snapshots take, and how much is left on the disk. The next one needs @payload bytes, 0
 * while they are unknown, and what files have besides. That one was too large says nothing about the next.
 */
void snapshot_store__room(struct snapshot_store *store, uint64_t payload, struct snapshot_room *ret)
	_nonnull_(1, 3);

/* Removes the oldest snapshots until @bytes are freed or only @keep are left. */
void snapshot_store__remove(struct snapshot_store *store, uint64_t bytes, size_t keep) _nonnull_(1);

/* Adds a snapshot with @payload bytes that no other one has: of trace, sideband and copies. */
void snapshot_store__add(struct snapshot_store *store, const char *name, uint64_t payload) _nonnull_(1, 2);

/* Returns how many snapshots were removed. */
unsigned int snapshot_store__removed(struct snapshot_store *store) _nonnull_(1);

void snapshot_store__free(struct snapshot_store *store);

DEFINE_CLEANUP(snapshot_store, struct snapshot_store *, snapshot_store__free)

#endif
