// SPDX-License-Identifier: GPL-2.0-only
#include "cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "containers/cgroup_mounts.h"

struct bench_cgroups {
	char *top; /* the directory of all of them */
	uint64_t *ids;
	size_t nr;
};

/* The id of a cgroup is the inode number of its directory. */
static int make_one(struct bench_cgroups *cgroups, size_t i)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%s/%zu", cgroups->top, i) < 0)
		return -ENOMEM;
	if (mkdir(path, 0755) || stat(path, &st))
		return -errno;
	cgroups->ids[i] = st.st_ino;
	cgroups->nr = i + 1;
	return 0;
}

static int find_top(struct bench_cgroups *cgroups)
{
	struct cgroup_mounts mounts;
	int err = cgroup_mounts__read("", &mounts);

	if (!err && !mounts.v2)
		err = -EOPNOTSUPP;
	if (!err && asprintf(&cgroups->top, "%s/auxbpf-bench-%d", mounts.v2, (int)getpid()) < 0)
		err = -ENOMEM;
	cgroup_mounts__release(&mounts);
	return err;
}

int bench_cgroups__new(size_t nr, struct bench_cgroups **ret)
{
	_cleanup_(cleanup__bench_cgroups) struct bench_cgroups *cgroups = calloc(1, sizeof(*cgroups));
	int err;

	if (!cgroups)
		return -ENOMEM;
	cgroups->ids = calloc(nr, sizeof(*cgroups->ids));
	if (!cgroups->ids)
		return -ENOMEM;
	err = find_top(cgroups);
	if (!err && mkdir(cgroups->top, 0755))
		err = -errno;
	for (size_t i = 0; !err && i < nr; i++)
		err = make_one(cgroups, i);
	if (err) {
		log_err("cannot make %zu cgroups: %s", nr, strerror(-err));
		return err;
	}
	*ret = steal_ptr(cgroups);
	return 0;
}

void bench_cgroups__free(struct bench_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->nr; i++) {
		_cleanup_free_ char *path = NULL;

		if (asprintf(&path, "%s/%zu", cgroups->top, i) >= 0 && rmdir(path))
			log_err("cannot remove %s: %s", path, strerror(errno));
	}
	if (cgroups->top)
		rmdir(cgroups->top);
	free(cgroups->top);
	free(cgroups->ids);
	free(cgroups);
}

const uint64_t *bench_cgroups__ids(const struct bench_cgroups *cgroups)
{
	return cgroups->ids;
}

int bench_cgroups__enter(const struct bench_cgroups *cgroups, size_t i, pid_t pid)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	int err = 0;

	if (asprintf(&path, "%s/%zu/cgroup.procs", cgroups->top, i) < 0)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || dprintf(fd, "%d", (int)pid) < 0)
		err = -errno;
	if (err)
		log_err("cannot move a process with %s: %s", path, strerror(-err));
	return err;
}
