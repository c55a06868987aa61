// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/cgroup_tree.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "auxbpf_shared.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/path.h"
#include "kernel/cgroup_tree_internal.h"

int cgroup_tree__open(const char *root, struct cgroup_tree **ret)
{
	_cleanup_cgroup_tree_ struct cgroup_tree *tree = calloc(1, sizeof(*tree));
	int err;

	if (!tree)
		return -ENOMEM;
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

int cgroup_tree__id(const struct cgroup_tree *tree, const char *path, uint64_t *ret)
{
	_cleanup_close_ int fd = path__open(tree->root, "%s%s", tree->mounts.v2, path);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	*ret = st.st_ino;
	return 0;
}

/* An entry of the queue of a walk: the id, and the path with its NUL. */
static void push(struct buf *queue, uint64_t id, const char *path, const char *name)
{
	buf__add_u64(queue, id);
	if (*name && strcmp(path, "/"))
		buf__add(queue, path, strlen(path));
	if (*name)
		buf__add(queue, "/", 1);
	else
		name = path;
	buf__add(queue, name, strlen(name) + 1);
}

/* Adds the cgroups below @path. The id comes with the directory's entry: no stat() for each. */
static int push_children(const struct cgroup_tree *tree, const char *path, struct buf *queue)
{
	_cleanup_closedir_ DIR *dir = path__opendir(tree->root, "%s%s", tree->mounts.v2, path);
	const struct dirent *entry;

	if (!dir)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	while ((entry = readdir(dir)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			push(queue, entry->d_ino, path, entry->d_name);
	return buf__error(queue);
}

int cgroup_tree__walk(const struct cgroup_tree *tree, const char *path, cgroup_visit_fn visit, void *ctx)
{
	_cleanup_buf_ struct buf queue = {0};
	char current[PATH_MAX];
	uint64_t id;
	int err = cgroup_tree__id(tree, path, &id);

	if (err)
		return err;
	push(&queue, id, path, "");
	err = buf__error(&queue);
	for (size_t at = 0; !err && at < queue.len; at += strlen((char *)queue.data + at) + 1) {
		memcpy(&id, queue.data + at, sizeof(id));
		at += sizeof(id);
		/* The queue moves in memory as it grows. */
		if (snprintf(current, sizeof(current), "%s", (char *)queue.data + at) >= (int)sizeof(current))
			return -ENAMETOOLONG;
		err = visit(ctx, current, id);
		if (!err)
			err = push_children(tree, current, &queue);
	}
	return err;
}

struct pid_list {
	const struct cgroup_tree *tree;
	int *pids;
	size_t nr;
	size_t max;
};

/* A process of a threaded cgroup can only be had from its domain, which is above. */
static int add_pid(void *ctx, const char *path, uint64_t id)
{
	struct pid_list *list = ctx;
	_cleanup_close_ int fd =
		path__open(list->tree->root, "%s%s/cgroup.procs", list->tree->mounts.v2, path);
	char text[32] = "";
	int pid;

	if (list->nr == list->max)
		return 1;
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return 0;
	pid = atoi(text);
	/* 0 is a process that is not in our PID namespace. */
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
