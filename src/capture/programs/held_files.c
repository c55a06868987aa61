// SPDX-License-Identifier: GPL-2.0-only
#include "capture/programs/held_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/inherited.h"
#include "base/log.h"
#include "base/thread.h"
#include "files/build_ids.h"
#include "files/file_helper.h"

#define BUCKETS 256
#define SETTLE_SECONDS 10

enum state {
	WAITING, /* to be opened */
	OPENED,
	GONE,
};

struct held {
	struct held *next;  /* in its bucket */
	struct held *later; /* among those that wait */
	enum state state;
	struct record_mmap map; /* while it waits; the name is its own */
	struct build_id id;
	uint64_t seen;
	int fd;
};

struct held_files {
	const char *root;
	pthread_mutex_t lock; /* protects all that follows */
	pthread_cond_t work, idle;
	struct held *buckets[BUCKETS];
	unsigned int nr;
	uint64_t now;		    /* number of maps seen so far */
	struct held *first, **last; /* the queue of those that wait */
	struct held *let_go;	    /* to be closed by the thread, because that may take long too */
	bool busy, ends;
	pthread_t thread;
	bool runs;
	struct file_helper helper; /* of the thread */
};

static int open_root_of(const char *root, uint32_t pid)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/proc/%u/root", root, pid) >= (int)sizeof(path))
		return -1;
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Opens the file that is mapped, or else the one with its name, as the task sees it and as we do. */
static int open_map(struct held_files *held, const struct record_mmap *m)
{
	const char *root = held->root;
	struct build_id id;
	_cleanup_close_ int mapped = file_helper__open_mapped(&held->helper, root, m->pid, m, &id);
	_cleanup_close_ int theirs = -1, ours = -1;
	int fd;

	if (mapped == -ETIMEDOUT)
		return mapped;
	if (mapped >= 0 && build_id__equals(&m->build_id, &id))
		return steal_fd(&mapped);
	theirs = open_root_of(root, m->pid);
	fd = theirs < 0 ? -ENOENT : file_helper__open_in(&held->helper, theirs, m->name, &m->build_id);
	if (fd >= 0)
		return fd;
	ours = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return ours < 0 ? -ENOENT : file_helper__open_in(&held->helper, ours, m->name, &m->build_id);
}

static void drop_name(struct held *h)
{
	free((char *)(uintptr_t)h->map.name);
	h->map.name = NULL;
}

static void free_held(struct held *h)
{
	if (h->fd >= 0)
		close(h->fd);
	drop_name(h);
	free(h);
}

static void free_chain(struct held *h)
{
	struct held *later;

	for (; h; h = later) {
		later = h->later;
		free_held(h);
	}
}

static struct held *take_first(struct held_files *held)
{
	struct held *h = held->first;

	if (h)
		held->first = h->later;
	if (!held->first)
		held->last = &held->first;
	return h;
}

static void wait_for_work(struct held_files *held)
{
	while (!held->first && !held->ends) {
		held->busy = false;
		pthread_cond_broadcast(&held->idle);
		pthread_cond_wait(&held->work, &held->lock);
	}
	held->busy = true;
}

/* Opens the files that wait. They are not let go meanwhile, so they are opened without the lock. */
static void *run(void *arg)
{
	struct held_files *held = arg;
	struct held *h, *old;
	int fd;

	pthread_mutex_lock(&held->lock);
	for (wait_for_work(held); !held->ends; wait_for_work(held)) {
		h = take_first(held);
		old = steal_ptr(held->let_go);
		pthread_mutex_unlock(&held->lock);
		free_chain(old);
		fd = open_map(held, &h->map);
		pthread_mutex_lock(&held->lock);
		h->fd = fd;
		h->state = fd < 0 ? GONE : OPENED;
		drop_name(h);
	}
	pthread_mutex_unlock(&held->lock);
	return NULL;
}

int held_files__new(const char *root, struct held_files **ret)
{
	_cleanup_(cleanup__held_files) struct held_files *held = calloc(1, sizeof(*held));
	int err;

	if (!held)
		return -ENOMEM;
	held->root = root;
	file_helper__init(&held->helper, FILE_HELPER_TIME);
	held->last = &held->first;
	thread__init_lock(&held->lock);
	pthread_cond_init(&held->work, NULL);
	pthread_cond_init(&held->idle, NULL);
	err = thread__start(&held->thread, run, held);
	held->runs = !err;
	if (err)
		log_err("cannot start the thread that opens programs: %s", strerror(-err));
	else
		*ret = steal_ptr(held);
	return err;
}

void held_files__free(struct held_files *held)
{
	struct held *h, *next;

	if (!held)
		return;
	if (held->runs) {
		pthread_mutex_lock(&held->lock);
		held->ends = true;
		pthread_cond_signal(&held->work);
		pthread_mutex_unlock(&held->lock);
		pthread_join(held->thread, NULL);
	}
	for (size_t i = 0; i < BUCKETS; i++)
		for (h = held->buckets[i]; h; h = next) {
			next = h->next;
			free_held(h);
		}
	free_chain(held->let_go);
	file_helper__release(&held->helper);
	pthread_cond_destroy(&held->work);
	pthread_cond_destroy(&held->idle);
	pthread_mutex_destroy(&held->lock);
	free(held);
}

static struct held **bucket_of(struct held_files *held, const struct build_id *id)
{
	return &held->buckets[id->data[0] % BUCKETS];
}

static struct held *find(struct held_files *held, const struct build_id *id)
{
	struct held *h = *bucket_of(held, id);

	while (h && !build_id__equals(&h->id, id))
		h = h->next;
	return h;
}

/* Makes room: lets the file go that was not seen for the longest time. False if all wait. */
static bool let_go(struct held_files *held)
{
	struct held **oldest = NULL, **at, *h;

	for (size_t i = 0; i < BUCKETS; i++)
		for (at = &held->buckets[i]; *at; at = &(*at)->next)
			if ((*at)->state != WAITING && (!oldest || (*at)->seen < (*oldest)->seen))
				oldest = at;
	if (!oldest)
		return false;
	h = *oldest;
	*oldest = h->next;
	h->later = held->let_go;
	held->let_go = h;
	held->nr--;
	return true;
}

static struct held *add(struct held_files *held, const struct build_id *id)
{
	struct held *h;

	if (held->nr >= inherited__share_files(HELD_FILES_MAX, HELD_FILES_USERS) && !let_go(held))
		return NULL;
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->fd = -1;
	h->id = *id;
	h->state = GONE;
	h->next = *bucket_of(held, id);
	*bucket_of(held, id) = h;
	held->nr++;
	return h;
}

static void have_opened(struct held_files *held, struct held *h, const struct record_mmap *map)
{
	char *name = strdup(map->name);

	if (!name)
		return;
	h->map = *map;
	h->map.name = name;
	h->state = WAITING;
	h->later = NULL;
	*held->last = h;
	held->last = &h->later;
	pthread_cond_signal(&held->work);
}

/* Notes a map. A file that could not be opened is tried again, because it may be elsewhere too. */
static void see_map(struct held_files *held, const struct record_mmap *map)
{
	struct held *h = find(held, &map->build_id) ?: add(held, &map->build_id);

	if (!h)
		return;
	h->seen = ++held->now;
	if (h->state == GONE)
		have_opened(held, h, map);
}

void held_files__see(struct held_files *held, struct span records)
{
	const struct perf_event_header *record;
	struct record_mmap map;
	size_t pos = 0;

	pthread_mutex_lock(&held->lock);
	while ((record = record__next(records, &pos)))
		if (record->type == PERF_RECORD_MMAP2 && record__mmap(record, &map) && map.build_id.size &&
		    *map.name == '/')
			see_map(held, &map);
	pthread_mutex_unlock(&held->lock);
}

void held_files__settle(struct held_files *held)
{
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += SETTLE_SECONDS;
	pthread_mutex_lock(&held->lock);
	while (!err && (held->first || held->busy))
		err = pthread_cond_timedwait(&held->idle, &held->lock, &until);
	pthread_mutex_unlock(&held->lock);
}

int held_files__get(struct held_files *held, const struct build_id *id)
{
	struct held *h;
	int fd = -ENOENT;

	pthread_mutex_lock(&held->lock);
	h = find(held, id);
	if (h && h->state == OPENED) {
		fd = fcntl(h->fd, F_DUPFD_CLOEXEC, 0);
		fd = fd < 0 ? -errno : fd;
	}
	pthread_mutex_unlock(&held->lock);
	return fd;
}
