// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/gate_cgroups.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "auxbpf_shared.h"
#include "base/log.h"

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
