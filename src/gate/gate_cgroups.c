// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_cgroups.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "auxbpf_shared.h"
#include "base/log.h"
#include "containers/cgroup_tree.h"

int gate_cgroups__add_ids(int fd, const uint64_t *ids, size_t nr)
{
	const uint8_t one = 1;
	int added = 0, err;

	for (size_t i = 0; i < nr; i++) {
		err = bpf_map_update_elem(fd, &ids[i], &one, BPF_NOEXIST);
		if (err == -EEXIST)
			continue;
		if (err == -E2BIG) {
			log_err("more cgroups than auxbpf can follow: %zu are targets", nr);
			return err;
		}
		if (err) {
			log_err("cannot tell the BPF programs the target cgroups: %s", strerror(-err));
			return err;
		}
		added++;
	}
	return added;
}

static bool to_key(const char *path, char key[AUXBPF_CGROUP_PATH])
{
	memset(key, 0, AUXBPF_CGROUP_PATH);
	if (strlen(path) >= AUXBPF_CGROUP_PATH)
		return false;
	memcpy(key, path, strlen(path));
	return true;
}

int gate_cgroups__add_paths(int fd, char *const *paths, size_t nr)
{
	const uint8_t one = 1;

	for (size_t i = 0; i < nr; i++) {
		char key[AUXBPF_CGROUP_PATH];
		int err;

		if (!to_key(paths[i], key)) {
			log_err("the path of cgroup %s is longer than %zu characters", paths[i],
				sizeof(key) - 1);
			return -ENAMETOOLONG;
		}
		err = bpf_map_update_elem(fd, key, &one, BPF_ANY);
		if (err) {
			log_err("cannot tell the BPF programs the path of cgroup %s: %s", paths[i],
				strerror(-err));
			return err;
		}
	}
	return 0;
}

void gate_cgroups__forget_path(int fd, const char *path)
{
	char key[AUXBPF_CGROUP_PATH];

	if (to_key(path, key) && bpf_map_delete_elem(fd, key) && errno != ENOENT)
		log_debug("cannot forget the path of cgroup %s: %s", path, strerror(errno));
}

/*
 * Two ids for each path: that of the cgroup which is there, and one found by gate_cgroups__check_named() that
 * is gone.
 */
void gate_cgroups__size_named(struct bpf_map *paths, struct bpf_map *ids, uint32_t nr)
{
	bpf_map__set_max_entries(paths, nr);
	bpf_map__set_max_entries(ids, 2 * nr);
}

static int log_named_error(const struct named_cgroup *cgroup, int err)
{
	log_err("cannot tell the BPF programs the cgroup %s: %s", cgroup->path, strerror(-err));
	return err;
}

int gate_cgroups__add_named(int fd, const struct named_cgroups *named)
{
	for (size_t i = 0; i < named->nr; i++) {
		const struct named_cgroup *cgroup = &named->all[i];
		char key[AUXBPF_CGROUP_PATH];
		int err;

		if (!to_key(cgroup->path, key)) {
			log_warn("the path of cgroup %s is longer than %zu characters: conditions will not "
				 "know it again if it is removed and made again",
				 cgroup->path, sizeof(key) - 1);
			continue;
		}
		err = bpf_map_update_elem(fd, key, &cgroup->id, BPF_ANY);
		if (err)
			return log_named_error(cgroup, err);
	}
	return 0;
}

int gate_cgroups__check_named(int fd, const char *root, const struct named_cgroups *named)
{
	_cleanup_cgroup_tree_ struct cgroup_tree *tree = NULL;
	int err = cgroup_tree__open(root, &tree);

	for (size_t i = 0; !err && i < named->nr; i++) {
		const struct named_cgroup *cgroup = &named->all[i];
		uint64_t id;

		if (cgroup_tree__id(tree, cgroup->path, &id) || id == cgroup->id)
			continue;
		err = bpf_map_update_elem(fd, &id, &cgroup->id, BPF_ANY);
		if (err)
			return log_named_error(cgroup, err);
	}
	return err;
}
