// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_disk.h"

#include "base/log.h"
#include "base/thread.h"

/* Does not ask the file system for the index's size while it is written: the lab's 9p then never wrote it. */
static void look_for_room(const struct snapshot_disk *disk, uint64_t payload, struct snapshot_room *room)
{
	snapshot_store__room(disk->store, payload, room);
	room->index += snapshot_index__bytes(disk->index);
}

static unsigned long long kib(uint64_t bytes)
{
	return bytes >> 10;
}

static void tell_room(const struct snapshot_disk *disk, enum snapshot_verdict why,
		      const struct snapshot_room *room)
{
	if (why == SNAPSHOT_DISK)
		log_warn("%llu KiB are free on the disk and --min-free is %llu KiB: no snapshot is taken "
			 "until there is more",
			 kib(room->free), kib(disk->opts->keep_free));
	else if (why != SNAPSHOT_TAKE)
		log_warn("the directory of the snapshots has %llu KiB and --max-size is %llu KiB: no "
			 "snapshot is taken until there is room",
			 kib(room->used + room->index), kib(disk->opts->max_bytes));
	else
		log_info("there is room for snapshots again");
}

void snapshot_disk__init(struct snapshot_disk *disk)
{
	thread__init_lock(&disk->lock);
	snapshot_disk__look(disk);
}

void snapshot_disk__release(struct snapshot_disk *disk)
{
	if (disk->store)
		pthread_mutex_destroy(&disk->lock);
}

void snapshot_disk__look(struct snapshot_disk *disk)
{
	enum snapshot_verdict before, now;
	struct snapshot_room room;

	look_for_room(disk, 0, &room);
	now = snapshot_limits__room(disk->limits, &room);
	pthread_mutex_lock(&disk->lock);
	disk->room = room;
	before = disk->full;
	disk->full = now;
	pthread_mutex_unlock(&disk->lock);
	if (now != before)
		tell_room(disk, now, &room);
}

bool snapshot_disk__is_full(struct snapshot_disk *disk)
{
	bool full;

	pthread_mutex_lock(&disk->lock);
	full = disk->full != SNAPSHOT_TAKE;
	pthread_mutex_unlock(&disk->lock);
	return full;
}

struct snapshot_room snapshot_disk__seen(struct snapshot_disk *disk)
{
	struct snapshot_room room;

	pthread_mutex_lock(&disk->lock);
	room = disk->room;
	pthread_mutex_unlock(&disk->lock);
	return room;
}

static enum snapshot_verdict make_room(struct snapshot_disk *disk, uint64_t payload, uint64_t *need)
{
	struct snapshot_room room;
	unsigned int removed;
	uint64_t excess;

	/* Repeat while some are removed: each one adds a line to the index. */
	do {
		removed = snapshot_store__removed(disk->store);
		look_for_room(disk, payload, &room);
		excess = snapshot_limits__excess(disk->limits, &room);
		/* Remove none if removing all is not enough. */
		if (excess <= room.used)
			snapshot_store__remove(disk->store, excess, 0);
	} while (snapshot_store__removed(disk->store) != removed);
	*need = room.need;
	return snapshot_limits__fits(disk->limits, &room);
}

/* Logs a refused snapshot, once in a row. */
static void tell_refused(struct snapshot_disk *disk, enum snapshot_verdict why, uint64_t need)
{
	if (why != SNAPSHOT_TAKE && disk->refused == SNAPSHOT_TAKE)
		log_warn("a snapshot that takes %llu KiB is left out: %s (%s is %llu KiB)", kib(need),
			 snapshot_limits__reason(why), why == SNAPSHOT_BYTES ? "--max-size" : "--min-free",
			 kib(why == SNAPSHOT_BYTES ? disk->opts->max_bytes : disk->opts->keep_free));
	disk->refused = why;
}

enum snapshot_verdict snapshot_disk__make_room(struct snapshot_disk *disk, uint64_t payload)
{
	uint64_t need;
	enum snapshot_verdict why = make_room(disk, payload, &need);

	tell_refused(disk, why, need);
	return why;
}

bool snapshot_disk__extend(struct snapshot_disk *disk, uint64_t payload)
{
	uint64_t need;

	return make_room(disk, payload, &need) == SNAPSHOT_TAKE;
}

void snapshot_disk__trim(struct snapshot_disk *disk)
{
	uint64_t all, max = disk->opts->max_bytes;
	struct snapshot_room room;

	look_for_room(disk, 0, &room);
	all = room.used + room.index;
	if (disk->opts->remove_oldest && max && all > max)
		snapshot_store__remove(disk->store, all - max, 1);
}
