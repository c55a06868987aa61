// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/container_roots.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/path.h"
#include "kernel/build_ids.h"

/* One descriptor each; who traces more containers than this at once finds the programs of these. */
#define ROOTS_MAX 128
/* Processes of one cgroup and all below that are looked at. */
#define PIDS_MAX 4096

struct root_dir {
	int fd;
	dev_t dev;
	ino_t ino;
};

struct container_roots {
	const char *root;
	/* The first one is our own. They only grow, so another thread may read those up to @nr. */
	struct root_dir all[ROOTS_MAX + 1];
	size_t nr;
};

static size_t nr_roots(const struct container_roots *roots)
{
	return __atomic_load_n(&roots->nr, __ATOMIC_ACQUIRE);
}

static bool is_known(const struct container_roots *roots, const struct root_dir *dir)
{
	for (size_t i = 0; i < roots->nr; i++)
		if (roots->all[i].dev == dir->dev && roots->all[i].ino == dir->ino)
			return true;
	return false;
}

/* Opens the directory and tells it from others. */
static int open_root(const char *path, struct root_dir *ret)
{
	struct stat st;

	ret->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (ret->fd < 0)
		return -errno;
	if (fstat(ret->fd, &st)) {
		close(ret->fd);
		return -errno;
	}
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	return 0;
}

int container_roots__new(const char *root, struct container_roots **ret)
{
	_cleanup_container_roots_ struct container_roots *roots = calloc(1, sizeof(*roots));
	int err;

	if (!roots)
		return -ENOMEM;
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
	free(roots);
}

void container_roots__add_pid(struct container_roots *roots, int pid)
{
	char path[PATH_MAX];
	struct root_dir dir;

	if (roots->nr == ARRAY_SIZE(roots->all))
		return;
	if (snprintf(path, sizeof(path), "%s/proc/%d/root", roots->root, pid) >= (int)sizeof(path) ||
	    open_root(path, &dir))
		return;
	if (is_known(roots, &dir)) {
		close(dir.fd);
		return;
	}
	roots->all[roots->nr] = dir;
	__atomic_store_n(&roots->nr, roots->nr + 1, __ATOMIC_RELEASE);
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
	return nr_roots(roots) - 1;
}

int container_roots__open(const struct container_roots *roots, const char *name, const struct build_id *id,
			  bool *own)
{
	size_t nr = nr_roots(roots);
	int fd = -ENOENT;

	for (size_t i = 0; fd < 0 && i < nr; i++) {
		fd = build_id__open_in(roots->all[i].fd, name, id);
		*own = !i;
	}
	return fd < 0 ? -ENOENT : fd;
}
