// SPDX-License-Identifier: GPL-2.0-only
/* The files of container runtimes, and what users ask for: the first part is the name that is looked for. */
#include "base/log.h"
#include "containers/container.h"
#include "containers/container_state.h"
#include "fuzz_root.h"

#define HEX "3f1c5a9be0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb"
#define V2 "/sys/fs/cgroup"

static void show(void *ctx, const struct container_info *info)
{
	char name[CONTAINER_FULL_NAME_SIZE], owner[CONTAINER_OWNER_SIZE];

	FUZZ_CHECK(info->path && info->id);
	container_info__format_name(info, name);
	container_info__format_owner(info, owner);
}

static void make_cgroups(void)
{
	static const char mounts[] = "30 28 0:25 / " V2 " rw - cgroup2 cgroup2 rw\n";

	fuzz_root__put_bytes("/proc/self/mountinfo", mounts, sizeof(mounts) - 1);
	fuzz_root__put_bytes(V2 "/web/cgroup.procs", "", 0);
	fuzz_root__put_bytes(V2 "/docker/" HEX "/cgroup.procs", "", 0);
	fuzz_root__put_bytes(V2 "/kubepods/pod2c48913c-b29f-11e7-9350-020968147796/" HEX "/cgroup.procs", "",
			     0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = {
		"/var/lib/docker/containers/" HEX "/config.v2.json",
		"/var/lib/containers/storage/overlay-containers/containers.json",
		"/run/containerd/io.containerd.runtime.v2.task/ns/" HEX "/config.json",
		"/run/containers/storage/overlay-containers/" HEX "/userdata/config.json",
		"/run/runc/web/state.json",
		"/run/crun/web/status",
		"/var/lib/nerdctl/x/names/default/web",
		V2 "/web/cgroup.procs",
	};
	static struct cgroup_tree *tree;
	struct fuzz_input in = {data, size};
	_cleanup_free_ char *name = fuzz__text(&in);
	_cleanup_container_paths_ struct container_paths paths = {0};
	int pids[4];

	if (!tree) {
		make_cgroups();
		if (cgroup_tree__open(fuzz_root__path(), &tree))
			abort();
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fuzz_root__put(files[i], &in);
	(void)!container__list(tree, show, NULL);
	FUZZ_CHECK(cgroup_tree__pids(tree, "/", pids, ARRAY_SIZE(pids)) <= ARRAY_SIZE(pids));
	if (!container__find(tree, name, CONTAINER_ALL, &paths))
		for (size_t i = 0; i < paths.nr; i++)
			FUZZ_CHECK(*paths.all[i] == '/');
	return 0;
}
