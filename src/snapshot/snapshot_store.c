// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_store.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/dir.h"
#include "base/log.h"
#include "base/thread.h"
#include "files/stage.h"

#define DIGIT "[0-9]"
#define DIGITS6 DIGIT DIGIT DIGIT DIGIT DIGIT DIGIT
#define PATTERN "auxbpf-" DIGITS6 DIGIT DIGIT "T" DIGITS6 "Z-" DIGITS6 ".data"
/* The number in a name begins here, and has six digits. */
#define NUMBER_AT 24
#define NUMBERS 1000000
/* The first bytes of each perf.data. */
#define MAGIC "PERFILE2"

struct snapshot_store {
	const char *dir;
	int dirfd;
	pthread_mutex_t lock; /* for the fields below */
	char **names;	      /* oldest first */
	size_t nr;
	uint64_t used;
	uint64_t stuck; /* taken by unfinished files that cannot be removed */
	uint64_t extra; /* the most bytes that a file has had besides its payload */
	unsigned int removed;
	snapshot_removed_fn on_removed;
	void *ctx;
	unsigned int last; /* the number in the last name; the next session goes on from it */
};

void snapshot_store__name(struct snapshot_store *store, const struct timespec *time, char *name, size_t size)
{
	char day[32];
	struct tm tm;

	store->last = (store->last + 1) % NUMBERS;

	gmtime_r(&time->tv_sec, &tm);
	strftime(day, sizeof(day), "%Y%m%dT%H%M%SZ", &tm);
	snprintf(name, size, "auxbpf-%s-%06u.data", day, store->last);
}

static bool has_magic(int dirfd, const char *name)
{
	_cleanup_close_ int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char magic[sizeof(MAGIC) - 1];

	return fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	       !memcmp(magic, MAGIC, sizeof(magic));
}

/* Tells whether @name is a snapshot: a file, or a directory with a file `data`. */
static bool is_snapshot(const struct snapshot_store *store, const char *name)
{
	_cleanup_close_ int dirfd = -1;

	if (fnmatch(PATTERN, name, 0))
		return false;
	dirfd = openat(store->dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return dirfd < 0 ? has_magic(store->dirfd, name) : has_magic(dirfd, "data");
}

static int add_name(struct snapshot_store *store, const char *name)
{
	char **more = reallocarray(store->names, store->nr + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	store->names = more;
	more[store->nr] = strdup(name);
	if (!more[store->nr])
		return -ENOMEM;
	store->nr++;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Removes an unfinished snapshot that a killed recorder has left: nobody else makes snapshots here. */
static void clear_unfinished(struct snapshot_store *store, const char *entry)
{
	char name[NAME_MAX + 1];
	int err;

	if (!stage__is_unfinished(entry, name) || fnmatch(PATTERN, name, 0))
		return;
	err = stage__remove_unfinished(store->dirfd, entry);
	if (!err) {
		log_info("removed %s/%s, which a recorder that was killed has left", store->dir, entry);
		return;
	}
	log_warn("cannot remove %s/%s, which a recorder that was killed has left: %s", store->dir, entry,
		 strerror(-err));
	store->stuck += dir__bytes(store->dirfd, entry, false);
}

static int scan(struct snapshot_store *store)
{
	_cleanup_closedir_ DIR *dir = dir__list(store->dirfd, ".");
	const struct dirent *entry;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (entry = dir__next(dir))) {
		clear_unfinished(store, entry->d_name);
		if (!is_snapshot(store, entry->d_name))
			continue;
		err = add_name(store, entry->d_name);
		store->used += dir__bytes(store->dirfd, entry->d_name, false);
	}
	if (store->nr)
		qsort(store->names, store->nr, sizeof(*store->names), compare_names);
	return err;
}

int snapshot_store__look(struct snapshot_store *store)
{
	int err;

	pthread_mutex_lock(&store->lock);
	while (store->nr)
		free(store->names[--store->nr]);
	store->used = store->stuck = 0;
	err = scan(store);
	pthread_mutex_unlock(&store->lock);
	if (err)
		log_err("cannot read the directory %s of the snapshots: %s", store->dir, strerror(-err));
	return err;
}

int snapshot_store__open(const struct snapshot_dir *dir, snapshot_removed_fn removed, void *ctx,
			 struct snapshot_store **ret)
{
	_cleanup_(cleanup__snapshot_store) struct snapshot_store *store = calloc(1, sizeof(*store));
	int err;

	if (!store)
		return -ENOMEM;
	thread__init_lock(&store->lock);
	store->on_removed = removed;
	store->ctx = ctx;
	store->dir = snapshot_dir__path(dir);
	store->dirfd = snapshot_dir__fd(dir);
	err = snapshot_store__look(store);
	if (!err && store->nr)
		store->last = (unsigned int)strtoul(store->names[store->nr - 1] + NUMBER_AT, NULL, 10);
	if (!err)
		*ret = steal_ptr(store);
	return err;
}

void snapshot_store__room(struct snapshot_store *store, uint64_t payload, struct snapshot_room *ret)
{
	struct statvfs fs;

	pthread_mutex_lock(&store->lock);
	*ret = (struct snapshot_room){
		.used = store->used,
		.index = store->stuck,
		.free = fstatvfs(store->dirfd, &fs) ? UINT64_MAX / 2 : (uint64_t)fs.f_bavail * fs.f_frsize,
		.need = payload + store->extra,
	};
	pthread_mutex_unlock(&store->lock);
}

/* Takes the oldest name off the list if more than @keep are left. The caller frees it. */
static char *take_first(struct snapshot_store *store, size_t keep)
{
	char *name = NULL;

	pthread_mutex_lock(&store->lock);
	if (store->nr > keep) {
		name = store->names[0];
		memmove(store->names, store->names + 1, --store->nr * sizeof(*store->names));
	}
	pthread_mutex_unlock(&store->lock);
	return name;
}

/*
 * Removes a snapshot and returns the bytes that this frees. Looks first whether it still is one: it is
 * somebody else's if it was removed and made anew.
 */
static uint64_t remove_one(struct snapshot_store *store, const char *name)
{
	uint64_t bytes;
	int err;

	if (!is_snapshot(store, name))
		return 0;
	bytes = dir__bytes(store->dirfd, name, true);
	err = stage__remove_capture(store->dirfd, name);
	if (err) {
		log_warn("cannot remove the old snapshot %s/%s: %s", store->dir, name, strerror(-err));
		return 0;
	}
	log_debug("removed the oldest snapshot, %s", name);
	store->removed++;
	store->on_removed(store->ctx, name);
	return bytes;
}

/*
 * Does not hold the lock while it removes files, which may take long: who asks for the room holds up a CPU's
 * trace.
 */
void snapshot_store__remove(struct snapshot_store *store, uint64_t bytes, size_t keep)
{
	uint64_t freed = 0;
	char *name;

	while (freed < bytes && (name = take_first(store, keep))) {
		freed += remove_one(store, name);
		free(name);
	}
	pthread_mutex_lock(&store->lock);
	store->used = !store->nr || freed > store->used ? 0 : store->used - freed;
	pthread_mutex_unlock(&store->lock);
}

void snapshot_store__add(struct snapshot_store *store, const char *name, uint64_t payload)
{
	/* A file that snapshots share counts for its first link only. */
	uint64_t bytes = dir__bytes(store->dirfd, name, true);

	pthread_mutex_lock(&store->lock);
	if (add_name(store, name))
		log_warn("%s/%s will not be removed when the directory is full", store->dir, name);
	store->used += bytes;
	if (bytes > payload + store->extra)
		store->extra = bytes - payload;
	pthread_mutex_unlock(&store->lock);
}

unsigned int snapshot_store__removed(struct snapshot_store *store)
{
	return store->removed;
}

void snapshot_store__free(struct snapshot_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->nr; i++)
		free(store->names[i]);
	free(store->names);
	pthread_mutex_destroy(&store->lock);
	free(store);
}
