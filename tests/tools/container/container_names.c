// SPDX-License-Identifier: GPL-2.0-only
/*
 * container-names ROOT WHAT [ARGUMENT...]: what the modules for cgroups and containers say, for a test with
 * the cgroups of a kernel and runtimes' files of its own. ROOT is what /proc, /sys, /var and /run are under.
 *
 *	cgroup TEXT        the path and the id of what --cgroup TEXT is
 *	subtree PATH       how many cgroups there are
 *	pids PATH          a process of each of them
 *	find TEXT          the paths that --container TEXT is; `wait TEXT`: with --wait
 *	new TEXT PATH      what a cgroup that was just made is to who waits for TEXT: named, other or untold
 *	list               all containers: runtime, first digits of the id, name, namespace/pod, path
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "containers/cgroup_tree.h"
#include "containers/container.h"
#include "containers/container_new.h"

static int run_cgroup(const struct cgroup_tree *tree, const char *text)
{
	_cleanup_free_ char *path = NULL;
	uint64_t id = 0;
	int err = cgroup_tree__find(tree, text, &path);

	if (!err)
		err = cgroup_tree__id(tree, path, &id);
	if (!err)
		printf("%s %llu\n", path, (unsigned long long)id);
	return err;
}

static int run_subtree(const struct cgroup_tree *tree, const char *path)
{
	_cleanup_cgroup_set_ struct cgroup_set set = {0};
	int err = cgroup_tree__add_subtree(tree, path, &set);

	if (!err)
		printf("%zu\n", set.nr);
	return err;
}

static int run_find(const struct cgroup_tree *tree, const char *text, bool wait)
{
	_cleanup_container_paths_ struct container_paths paths = {0};
	int err = container__find(tree, text, wait ? CONTAINER_ONE_OR_NONE : CONTAINER_ONE, &paths);

	for (size_t i = 0; !err && i < paths.nr; i++)
		printf("%s\n", paths.all[i]);
	return err;
}

static int run_new(const struct cgroup_tree *tree, const char *text, char *const *paths)
{
	static const char *const words[] = {
		[CONTAINER_NEW_UNTOLD] = "untold",
		[CONTAINER_NEW_OTHER] = "other",
		[CONTAINER_NEW_NAMED] = "named",
	};
	const struct container_wanted_names names = {&text, 1};
	enum container_new verdict = CONTAINER_NEW_UNTOLD;
	int err = *paths ? container_new__judge(tree, &names, paths, 1, &verdict) : -EINVAL;

	if (!err)
		printf("%s\n", words[verdict]);
	return err;
}

static void show(void *ctx, const struct container_info *info)
{
	printf("%s %.12s %s %s/%s %s\n", info->runtime, info->id, info->name ? info->name : "-",
	       info->namespace ? info->namespace : "-", info->pod ? info->pod : "-", info->path);
}

static int run(const struct cgroup_tree *tree, char **argv)
{
	const char *what = argv[0], *text = argv[0] ? argv[1] : NULL;
	int pids[64];
	size_t nr;

	if (what && !strcmp(what, "list"))
		return container__list(tree, show, NULL);
	if (!text)
		return -EINVAL;
	if (!strcmp(what, "cgroup"))
		return run_cgroup(tree, text);
	if (!strcmp(what, "subtree"))
		return run_subtree(tree, text);
	if (!strcmp(what, "find") || !strcmp(what, "wait"))
		return run_find(tree, text, *what == 'w');
	if (!strcmp(what, "new"))
		return run_new(tree, text, argv + 2);
	if (strcmp(what, "pids"))
		return -EINVAL;
	nr = cgroup_tree__pids(tree, text, pids, ARRAY_SIZE(pids));
	for (size_t i = 0; i < nr; i++)
		printf("%d\n", pids[i]);
	return nr ? 0 : -ESRCH;
}

int main(int argc, char **argv)
{
	_cleanup_cgroup_tree_ struct cgroup_tree *tree = NULL;
	int err;

	if (argc < 3)
		return 2;
	err = cgroup_tree__open(argv[1], &tree);
	if (!err)
		err = run(tree, argv + 2);
	if (err)
		fprintf(stderr, "%s\n", strerror(-err));
	return err ? 1 : 0;
}
