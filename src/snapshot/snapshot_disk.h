/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room that snapshots have on the disk, by the limits: what was seen of it last, for who must not wait, and
 * how it is made by who writes.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_DISK_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_DISK_H

#include <pthread.h>
#include <stdbool.h>

#include "snapshot/snapshot_limits.h"
#include "snapshot/snapshot_index.h"
#include "snapshot/snapshot_store.h"

/* The first four outlive it. */
struct snapshot_disk {
	struct snapshot_store *store;
	const struct snapshot_index *index;
	const struct snapshot_limits *limits;
	const struct snapshot_limits_opts *opts;
	/*
	 * What was seen of the disk last: to ask it takes too long while a CPU waits. Before a file is
	 * written it is looked at again.
	 */
	struct snapshot_room room;
	pthread_mutex_t lock;	    /* of the room */
	enum snapshot_verdict full; /* what the last look has said, under the lock; SNAPSHOT_TAKE: not full */
	enum snapshot_verdict refused; /* the last one that was to be written; SNAPSHOT_TAKE: it was not */
};

/* With the first four set; looks for the first time. */
void snapshot_disk__init(struct snapshot_disk *disk) _nonnull_(1);
void snapshot_disk__release(struct snapshot_disk *disk) _nonnull_(1);

/* Looks at it, and says if there is no room for snapshots, or room again. Not while a CPU is frozen. */
void snapshot_disk__look(struct snapshot_disk *disk) _nonnull_(1);

/* Whether there was no room at the last look: then somebody is to look again. */
bool snapshot_disk__is_full(struct snapshot_disk *disk) _nonnull_(1);

/* What was seen last. */
struct snapshot_room snapshot_disk__seen(struct snapshot_disk *disk) _nonnull_(1);

/*
 * The oldest go if that is wanted, for a snapshot of @payload bytes; if it is not enough, or not wanted, it
 * is not to be written: the verdict. Says so, once in a row. By who writes.
 */
enum snapshot_verdict snapshot_disk__make_room(struct snapshot_disk *disk, uint64_t payload) _must_check_
	_nonnull_(1);

/* The same when it is larger than was thought, @payload bytes in all. Whether it may be. */
bool snapshot_disk__extend(struct snapshot_disk *disk, uint64_t payload) _must_check_ _nonnull_(1);

/* Behind each one that was written: only then it is known what it takes. */
void snapshot_disk__trim(struct snapshot_disk *disk) _nonnull_(1);

#endif
