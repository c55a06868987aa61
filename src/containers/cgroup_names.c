// SPDX-License-Identifier: GPL-2.0-only
#include "containers/cgroup_names.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "containers/cgroup_mounts.h"
#include "containers/cgroup_tree.h"
#include "containers/container.h"
#include "containers/container_name.h"

/* So many names are remembered; then the oldest makes place. */
#define MAX_NAMES 256

struct entry {
	uint64_t id;
	struct cgroup_name name;
};

struct cgroup_names {
	const char *root;
	struct cgroup_tree *tree; /* NULL: not needed yet, or there is no hierarchy */
	bool no_tree;
	struct entry all[MAX_NAMES];
	unsigned int nr; /* of all that were ever found */
};

struct cgroup_names *cgroup_names__new(const char *root)
{
	struct cgroup_names *names = calloc(1, sizeof(*names));

	if (names)
		names->root = root;
	return names;
}

static void release_container(struct cgroup_name *name)
{
	free(name->runtime);
	free(name->id);
	free(name->name);
	free(name->pod);
	free(name->namespace);
}

static void release(struct cgroup_name *name)
{
	free(name->path);
	release_container(name);
	*name = (struct cgroup_name){0};
}

static int compare(void *ctx, const char *path, uint64_t id)
{
	struct entry *wanted = ctx;

	if (id != wanted->id || !path)
		return 0;
	wanted->name.path = strdup(path);
	return 1;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void take_info(void *ctx, const struct container_info *info)
{
	struct cgroup_name *name = ctx;

	/* Skip what is not the cgroup's own container or one around it; of nested ones the last is the
	 * innermost. */
	if (info->kind != CONTAINER_CONTAINER || !cgroup_mounts__strip(info->path, name->path))
		return;
	release_container(name);
	name->runtime = copy(info->runtime);
	name->id = copy(info->id);
	name->name = copy(info->name);
	name->pod = copy(info->pod);
	name->namespace = copy(info->namespace);
}

/* Finds the container of a cgroup. The runtimes' records are read only if the path looks like one of
 * theirs. */
static void find_container(struct cgroup_names *names, struct cgroup_name *name)
{
	struct container_name parsed;
	int err;

	container_name__read(name->path, &parsed);
	if (parsed.kind != CONTAINER_CONTAINER && !parsed.outer)
		return;
	err = container__list(names->tree, take_info, name);
	if (err)
		log_debug("cannot look for the container of cgroup %s: %s", name->path, strerror(-err));
}

static const struct cgroup_name *look(struct cgroup_names *names, uint64_t id)
{
	struct entry *entry = &names->all[names->nr % MAX_NAMES];

	if (!names->tree && !names->no_tree)
		names->no_tree = cgroup_tree__open(names->root, &names->tree);
	if (names->no_tree)
		return NULL;
	release(&entry->name);
	entry->id = id;
	if (cgroup_tree__walk(names->tree, "/", compare, entry) != 1 || !entry->name.path)
		return NULL;
	names->nr++;
	find_container(names, &entry->name);
	return &entry->name;
}

const struct cgroup_name *cgroup_names__find(struct cgroup_names *names, uint64_t id)
{
	for (unsigned int i = 0; i < MAX_NAMES && i < names->nr; i++)
		if (names->all[i].id == id && names->all[i].name.path)
			return &names->all[i].name;
	/* BPF gives 0 where there is no cgroup of version 2. */
	return id ? look(names, id) : NULL;
}

void cgroup_names__free(struct cgroup_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < MAX_NAMES; i++)
		release(&names->all[i].name);
	cgroup_tree__free(names->tree);
	free(names);
}
