// SPDX-License-Identifier: GPL-2.0-only
#include "containers/cgroup_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "auxbpf_shared.h"
#include "base/log.h"
#include "containers/cgroup_tree_internal.h"

int cgroup_tree__open(const char *root, struct cgroup_tree **ret)
{
	_cleanup_cgroup_tree_ struct cgroup_tree *tree = calloc(1, sizeof(*tree));
	int err;

	if (!tree) {
		log_err("no memory to look for cgroups");
		return -ENOMEM;
	}
	tree->root = root;
	err = cgroup_mounts__read(root, &tree->mounts);
	if (err) {
		log_err("cannot read /proc/self/mountinfo: %s", strerror(-err));
		return err;
	}
	if (!tree->mounts.v2) {
		log_err("%s",
			tree->mounts.nr_v1
				? "only cgroup v1 is mounted here, and its cgroups cannot be traced; boot "
				  "with systemd.unified_cgroup_hierarchy=1"
				: "no cgroup v2 is mounted here: mount -t cgroup2 none /sys/fs/cgroup");
		return -ENOTSUP;
	}
	*ret = steal_ptr(tree);
	return 0;
}

void cgroup_tree__free(struct cgroup_tree *tree)
{
	if (!tree)
		return;
	cgroup_mounts__release(&tree->mounts);
	free(tree);
}

const char *cgroup_tree__root(const struct cgroup_tree *tree)
{
	return tree->root;
}

const char *cgroup_tree__strip(const struct cgroup_tree *tree, const char *path)
{
	return cgroup_mounts__strip(tree->mounts.v2, path);
}

struct pid_list {
	const struct cgroup_tree *tree;
	int *pids;
	size_t nr;
	size_t max;
};

/* Adds one process of a cgroup. A threaded cgroup does not tell its processes; its domain, which is above,
 * does. */
static int add_pid(void *ctx, const char *path, uint64_t id)
{
	struct pid_list *list = ctx;
	_cleanup_close_ int dir = path ? cgroup_tree__open_dir(list->tree, path) : -1;
	_cleanup_close_ int fd = dir < 0 ? -1 : openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	char text[32] = "";
	int pid;

	if (list->nr == list->max)
		return 1;
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return 0;
	pid = atoi(text);
	/* 0 stands for a process that is not in our PID namespace. */
	if (pid > 0)
		list->pids[list->nr++] = pid;
	return 0;
}

size_t cgroup_tree__pids(const struct cgroup_tree *tree, const char *path, int *pids, size_t max)
{
	struct pid_list list = {tree, pids, 0, max};
	int err = cgroup_tree__walk(tree, path, add_pid, &list);

	if (err < 0 && err != -ENOENT)
		log_debug("cannot look for processes below cgroup %s: %s", path, strerror(-err));
	return list.nr;
}

static int add_id(void *ctx, const char *path, uint64_t id)
{
	struct cgroup_set *set = ctx;
	uint64_t *ids;

	if (set->nr == set->cap) {
		ids = realloc(set->ids, (set->cap * 2 + 64) * sizeof(*ids));
		if (!ids)
			return -ENOMEM;
		set->ids = ids;
		set->cap = set->cap * 2 + 64;
	}
	set->ids[set->nr++] = id;
	return 0;
}

int cgroup_tree__add_subtree(const struct cgroup_tree *tree, const char *path, struct cgroup_set *set)
{
	int err;

	if (strlen(path) >= AUXBPF_CGROUP_PATH) {
		log_err("the path of cgroup '%.60s...' has %zu characters, at most %d are possible", path,
			strlen(path), AUXBPF_CGROUP_PATH - 1);
		return -ENAMETOOLONG;
	}
	err = cgroup_tree__walk(tree, path, add_id, set);
	if (err && err != -ENOENT)
		log_err("cannot read the cgroups below '%s': %s", path, strerror(-err));
	return err;
}

void cgroup_set__release(struct cgroup_set *set)
{
	free(set->ids);
	*set = (struct cgroup_set){0};
}
