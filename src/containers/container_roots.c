// SPDX-License-Identifier: GPL-2.0-only
#include "containers/container_roots.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/log.h"
#include "base/path.h"
#include "base/thread.h"

/* Each root takes a descriptor. If there are more containers, only programs of the last ones are found. */
#define ROOTS_MAX 128
/* At most so many processes of one cgroup and all below it are looked at. */
#define PIDS_MAX 4096

struct root_dir {
	int fd;
	dev_t dev;
	ino_t ino;
};

struct container_roots {
	const char *root;
	pthread_mutex_t lock;		    /* for another thread, which opens files in the roots */
	struct root_dir all[ROOTS_MAX + 1]; /* our own first, then the others as they came */
	size_t nr;
};

static bool is_known(struct container_roots *roots, const struct root_dir *dir)
{
	for (size_t i = 0; i < roots->nr; i++)
		if (roots->all[i].dev == dir->dev && roots->all[i].ino == dir->ino)
			return true;
	return false;
}

/*
 * Opens the directory and reads by what it is told from others. The kernel knows that already: the file
 * system, which may not answer, is not asked (fuse_update_get_attr(), fs/fuse/dir.c).
 */
static int open_root(const char *path, struct root_dir *ret)
{
	struct statx st;

	ret->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (ret->fd < 0)
		return -errno;
	if (statx(ret->fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &st)) {
		close(ret->fd);
		return -errno;
	}
	ret->dev = makedev(st.stx_dev_major, st.stx_dev_minor);
	ret->ino = st.stx_ino;
	return 0;
}

int container_roots__new(const char *root, struct container_roots **ret)
{
	_cleanup_container_roots_ struct container_roots *roots = calloc(1, sizeof(*roots));
	int err;

	if (!roots)
		return -ENOMEM;
	thread__init_lock(&roots->lock);
	roots->root = root;
	err = open_root(*root ? root : "/", &roots->all[0]);
	if (err)
		return err;
	roots->nr = 1;
	*ret = steal_ptr(roots);
	return 0;
}

void container_roots__free(struct container_roots *roots)
{
	if (!roots)
		return;
	while (roots->nr)
		close(roots->all[--roots->nr].fd);
	pthread_mutex_destroy(&roots->lock);
	free(roots);
}

/* Adds a root. The oldest makes place: it is the likeliest to be gone, and keeps its file system mounted. */
static void add(struct container_roots *roots, const struct root_dir *dir)
{
	pthread_mutex_lock(&roots->lock);
	if (roots->nr == ARRAY_SIZE(roots->all)) {
		close(roots->all[1].fd);
		roots->nr--;
		memmove(&roots->all[1], &roots->all[2], (roots->nr - 1) * sizeof(roots->all[0]));
	}
	roots->all[roots->nr++] = *dir;
	pthread_mutex_unlock(&roots->lock);
}

void container_roots__add_pid(struct container_roots *roots, int pid)
{
	char path[PATH_MAX];
	struct root_dir dir;

	if (snprintf(path, sizeof(path), "%s/proc/%d/root", roots->root, pid) >= (int)sizeof(path) ||
	    open_root(path, &dir))
		return;
	if (is_known(roots, &dir)) {
		close(dir.fd);
		return;
	}
	add(roots, &dir);
	log_debug("process %d has a root of its own", pid);
}

void container_roots__add_cgroup(struct container_roots *roots, const struct cgroup_tree *tree,
				 const char *path)
{
	int pids[PIDS_MAX];
	size_t nr = cgroup_tree__pids(tree, path, pids, PIDS_MAX);

	for (size_t i = 0; i < nr; i++)
		container_roots__add_pid(roots, pids[i]);
}

size_t container_roots__nr(const struct container_roots *roots)
{
	return roots->nr - 1;
}

/* Returns a descriptor of root number @i, which the caller closes; negative if there are not so many. */
static int get_root(struct container_roots *roots, size_t i)
{
	int fd = -ENOENT;

	pthread_mutex_lock(&roots->lock);
	if (i < roots->nr)
		fd = fcntl(roots->all[i].fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&roots->lock);
	return fd;
}

int container_roots__open(struct container_roots *roots, struct file_helper *helper, const char *name,
			  const struct build_id *id, bool *own)
{
	for (size_t i = 0;; i++) {
		_cleanup_close_ int dir = get_root(roots, i);
		int fd = dir < 0 ? -1 : file_helper__open_in(helper, dir, name, id);

		*own = !i;
		if (fd >= 0)
			return fd;
		if (dir < 0)
			return -ENOENT;
	}
}
