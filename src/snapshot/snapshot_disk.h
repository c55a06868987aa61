/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room that the limits leave to snapshots on the disk. It keeps what the last look has found, for threads
 * that must not wait, and makes room for the thread that writes.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_DISK_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_DISK_H

#include <pthread.h>
#include <stdbool.h>

#include "snapshot/snapshot_index.h"
#include "snapshot/snapshot_limits.h"
#include "snapshot/snapshot_store.h"

/* The first four must outlive it. */
struct snapshot_disk {
	struct snapshot_store *store;
	const struct snapshot_index *index;
	const struct snapshot_limits *limits;
	const struct snapshot_limits_opts *opts;
	/*
	 * What the last look at the disk has found: looking takes too long while a CPU is frozen. It is
	 * looked at again before a file is written.
	 */
	struct snapshot_room room;
	pthread_mutex_t lock;	       /* for @room and @full */
	enum snapshot_verdict full;    /* what the last look has found; SNAPSHOT_TAKE: not full */
	enum snapshot_verdict refused; /* the verdict on the last one that was to be written */
};

/* Takes the first look; the first four fields must be set. */
void snapshot_disk__init(struct snapshot_disk *disk) _nonnull_(1);
void snapshot_disk__release(struct snapshot_disk *disk) _nonnull_(1);

/*
 * Looks at the disk, and logs if there is no room for snapshots, or room again. Do not call while a CPU is
 * frozen: statvfs() may block.
 */
void snapshot_disk__look(struct snapshot_disk *disk) _nonnull_(1);

/* Tells whether there was no room at the last look: then the caller should look again from time to time. */
bool snapshot_disk__is_full(struct snapshot_disk *disk) _nonnull_(1);

/* Returns what the last look has found. */
struct snapshot_room snapshot_disk__seen(struct snapshot_disk *disk) _nonnull_(1);

/*
 * Removes the oldest snapshots, if that is wanted, for a new one of @payload bytes. Returns the verdict:
 * other than SNAPSHOT_TAKE if there is not enough room, and it is not to be written. That is logged, once in
 * a row. To be called by the thread that writes.
 */
enum snapshot_verdict snapshot_disk__make_room(struct snapshot_disk *disk, uint64_t payload) _must_check_
	_nonnull_(1);

/* Makes room for a snapshot that turns out larger, @payload bytes in all. Returns false if there is none. */
bool snapshot_disk__extend(struct snapshot_disk *disk, uint64_t payload) _must_check_ _nonnull_(1);

/* To be called after each snapshot is written: the size is known only then, so this trims to --max-size. */
void snapshot_disk__trim(struct snapshot_disk *disk) _nonnull_(1);

#endif
