// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/dir.h"
#include "base/path.h"
#include "containers/cgroup_tree.h"
#include "containers/cgroup_tree_internal.h"

/*
 * A cgroup that was found. Whoever may make cgroups may nest them as deep as he likes. So a path is put
 * together only when it is needed: all of them would take memory that grows with the square of the depth.
 */
struct found {
	uint64_t id;
	size_t parent; /* the number of its parent; the first is its own parent */
	size_t name;   /* the position of its name among the names */
};

struct walk {
	const struct cgroup_tree *tree;
	struct buf found; /* struct found, parents before their children */
	struct buf names; /* each with its NUL; the first is a path */
	struct buf path;  /* of the cgroup that is visited */
};

/* Returns how much of @path can be opened at once, up to the end of a name. */
static size_t step_len(const char *path)
{
	size_t len = strlen(path);

	if (len < PATH_MAX)
		return len;
	for (len = PATH_MAX - 1; path[len] != '/'; len--)
		;
	return len;
}

int cgroup_tree__open_dir(const struct cgroup_tree *tree, const char *path)
{
	_cleanup_close_ int dir = path__open(tree->root, "%s", tree->mounts.v2);
	char step[PATH_MAX];
	size_t len;

	for (path += strspn(path, "/"); dir >= 0 && *path; path += strspn(path, "/")) {
		int next;

		len = step_len(path);
		memcpy(step, path, len);
		step[len] = '\0';
		next = openat(dir, step, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return -errno;
		close(dir);
		dir = next;
		path += len;
	}
	return steal_fd(&dir);
}

static int stat_cgroup(const struct cgroup_tree *tree, const char *path, struct stat *st)
{
	_cleanup_close_ int fd = cgroup_tree__open_dir(tree, path);

	if (fd < 0)
		return fd;
	return fstat(fd, st) ? -errno : 0;
}

int cgroup_tree__id(const struct cgroup_tree *tree, const char *path, uint64_t *ret)
{
	struct stat st;
	int err = stat_cgroup(tree, path, &st);

	if (!err)
		*ret = st.st_ino;
	return err;
}

int cgroup_tree__owner(const struct cgroup_tree *tree, const char *path, uid_t *ret)
{
	struct stat st;
	int err = stat_cgroup(tree, path, &st);

	if (!err)
		*ret = st.st_uid;
	return err;
}

static struct found get(const struct walk *w, size_t i)
{
	return ((const struct found *)(const void *)w->found.data)[i];
}

static const char *name_of(const struct walk *w, size_t i)
{
	return (const char *)w->names.data + get(w, i).name;
}

static int add(struct walk *w, uint64_t id, size_t parent, const char *name)
{
	const struct found found = {id, parent, w->names.len};

	buf__add(&w->found, &found, sizeof(found));
	buf__add(&w->names, name, strlen(name) + 1);
	return buf__error(&w->found) ?: buf__error(&w->names);
}

/* Puts the path of cgroup number @i together from its end to its start. The name of the first is a path
 * already; for the root that is a slash alone. */
static int make_path(struct walk *w, size_t i)
{
	const char *first = (const char *)w->names.data;
	size_t begin = strcmp(first, "/") ? strlen(first) : 0, len = begin, at;

	for (size_t up = i; up; up = get(w, up).parent)
		len += 1 + strlen(name_of(w, up));
	buf__truncate(&w->path, 0);
	buf__add(&w->path, NULL, len + 2);
	if (buf__error(&w->path))
		return buf__error(&w->path);
	memcpy(w->path.data, first, strlen(first));
	for (at = len; i; i = get(w, i).parent) {
		const char *name = name_of(w, i);

		at -= strlen(name);
		memcpy(w->path.data + at, name, strlen(name));
		w->path.data[--at] = '/';
	}
	return 0;
}

/* Adds the cgroups below. Their ids come with the directory's entries, so that no stat() is needed for
 * each. */
static int add_children(struct walk *w, size_t parent)
{
	int fd = cgroup_tree__open_dir(w->tree, (const char *)w->path.data), err = 0;
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		err = fd < 0 ? fd : -errno;
		cleanup__close(&fd);
		return err == -ENOENT || err == -ENODEV ? 0 : err;
	}
	while (!err && (entry = dir__next(dir)))
		if (entry->d_type == DT_DIR)
			err = add(w, entry->d_ino, parent, entry->d_name);
	return err;
}

static int walk_on(struct walk *w, cgroup_visit_fn visit, void *ctx)
{
	int err = 0;

	for (size_t i = 0; !err && i < w->found.len / sizeof(struct found); i++) {
		const char *path;

		err = make_path(w, i);
		path = (const char *)w->path.data;
		if (!err)
			err = visit(ctx, strlen(path) < PATH_MAX ? path : NULL, get(w, i).id);
		if (!err)
			err = add_children(w, i);
	}
	return err;
}

int cgroup_tree__walk(const struct cgroup_tree *tree, const char *path, cgroup_visit_fn visit, void *ctx)
{
	struct walk w = {.tree = tree};
	uint64_t id;
	int err = cgroup_tree__id(tree, path, &id);

	if (!err)
		err = add(&w, id, 0, path);
	if (!err)
		err = walk_on(&w, visit, ctx);
	buf__release(&w.found);
	buf__release(&w.names);
	buf__release(&w.path);
	return err;
}
