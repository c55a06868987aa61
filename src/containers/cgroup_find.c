// SPDX-License-Identifier: GPL-2.0-only
/*
 * The id that a user gives to --cgroup, and the path that is found for it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "base/path.h"
#include "containers/cgroup_tree.h"
#include "containers/cgroup_tree_internal.h"

struct by_id {
	uint64_t id;
	char *path;
};

static int compare_id(void *ctx, const char *path, uint64_t id)
{
	struct by_id *wanted = ctx;

	if (id != wanted->id || !path)
		return 0;
	wanted->path = strdup(path);
	return wanted->path ? 1 : -ENOMEM;
}

static int find_id(const struct cgroup_tree *tree, const char *text, char **path)
{
	struct by_id wanted = {0};
	int ret = 0;

	if (!parse__u64(text, &wanted.id))
		ret = cgroup_tree__walk(tree, "/", compare_id, &wanted);
	if (ret < 0) {
		log_err("cannot read the cgroups in %s: %s", tree->mounts.v2, strerror(-ret));
		return ret;
	}
	if (!ret) {
		log_err("no cgroup has the id %s (a name that is a number is written with a '/' before it)",
			text);
		return -ENOENT;
	}
	*path = wanted.path;
	return 0;
}

/* Returns "/a/b" for "a//b/", and "/" for "/". NULL with errno set. */
static char *normal_path(const char *text)
{
	_cleanup_free_ char *path = calloc(1, strlen(text) + 2);
	char *to = path;
	size_t len;

	if (!path)
		return NULL;
	for (; *(text += strspn(text, "/")); text += len) {
		len = strcspn(text, "/");
		if (!strncmp(text, "..", len)) {
			errno = EINVAL;
			return NULL;
		}
		*to++ = '/';
		memcpy(to, text, len);
		to += len;
	}
	if (to == path)
		*to = '/';
	return steal_ptr(path);
}

/* The paths of the cgroups, and the names near the wanted one. */
struct candidates {
	const char *wanted;
	struct nearest near;
	struct buf paths;
};

static const char *last_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

static int offer(void *ctx, const char *path, uint64_t id)
{
	struct candidates *c = ctx;

	if (!path)
		return 0;
	nearest__offer(&c->near, last_name(c->wanted), last_name(path));
	buf__add(&c->paths, path, strlen(path) + 1);
	return 0;
}

/* Returns the path of the first cgroup of that name. */
static const char *path_of(const struct candidates *c, const char *name)
{
	const char *path = (const char *)c->paths.data;

	while (strcmp(last_name(path), name))
		path += strlen(path) + 1;
	return path;
}

/* Writes "; did you mean A or B?" into @text. The names of cgroups are compared, and their paths are
 * shown. */
static void suggest(const struct cgroup_tree *tree, const char *path, char *text, size_t size)
{
	struct candidates c = {.wanted = path};
	size_t len = 0;

	*text = '\0';
	if (!cgroup_tree__walk(tree, "/", offer, &c) && !buf__error(&c.paths)) {
		for (size_t i = 0; i < c.near.nr && len < size; i++)
			len += (size_t)snprintf(text + len, size - len, "%s%s",
						i ? " or " : "; did you mean ", path_of(&c, c.near.names[i]));
		if (len && len < size)
			snprintf(text + len, size - len, "?");
	}
	buf__release(&c.paths);
}

/* Returns the mount point of the v1 hierarchy that the user means, or that has such a cgroup. */
static const char *v1_mount(const struct cgroup_tree *tree, const char *text, const char *path)
{
	for (size_t i = 0; i < tree->mounts.nr_v1; i++)
		if (cgroup_mounts__strip(tree->mounts.v1[i], text) ||
		    path__exists(tree->root, "%s%s", tree->mounts.v1[i], path))
			return tree->mounts.v1[i];
	return NULL;
}

static int explain(const struct cgroup_tree *tree, const char *text, const char *path, int err)
{
	const char *v1 = v1_mount(tree, text, path);
	char near[4096];

	if (err != -ENOENT) {
		log_err("'%s' is no cgroup: %s", text, strerror(-err));
	} else if (v1) {
		log_err("cgroup '%s' is in %s, which is cgroup v1; only those below %s (v2) can be traced",
			text, v1, tree->mounts.v2);
	} else {
		suggest(tree, path, near, sizeof(near));
		log_err("no cgroup '%s' in %s%s", text, tree->mounts.v2, near);
	}
	return err;
}

int cgroup_tree__find(const struct cgroup_tree *tree, const char *text, char **path)
{
	const char *below = cgroup_tree__strip(tree, text);
	_cleanup_free_ char *normal = NULL;
	uint64_t id;
	int err;

	if (*text && !text[strspn(text, "0123456789")])
		return find_id(tree, text, path);
	normal = *text ? normal_path(below ? below : text) : NULL;
	if (!normal) {
		log_err("'%s' is no path of a cgroup: it is a path below %s, or a cgroup's number", text,
			tree->mounts.v2);
		return -EINVAL;
	}
	err = cgroup_tree__id(tree, normal, &id);
	if (err)
		return explain(tree, text, normal, err);
	*path = steal_ptr(normal);
	return 0;
}
