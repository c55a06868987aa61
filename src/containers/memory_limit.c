// SPDX-License-Identifier: GPL-2.0-only
#include "containers/memory_limit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "containers/cgroup_mounts.h"

/* Without a limit the v1 hierarchy says LONG_MAX, in whole pages. */
#define NO_LIMIT (UINT64_MAX >> 2)

/*
 * Returns the least limit of the cgroup @path and of those above it. In a container the path may be the one
 * that the host sees, while what is mounted is the container's own. A file that says "max", or is not there,
 * is no limit.
 */
static uint64_t least_above(const char *root, const char *mount, char *path, const char *file)
{
	uint64_t least = UINT64_MAX, limit;
	char *slash = path + strlen(path);

	do {
		*slash = '\0';
		if (!path__read_u64(root, &limit, "%s%s/%s", mount, path, file) && limit < NO_LIMIT &&
		    limit < least)
			least = limit;
		slash = strrchr(path, '/');
	} while (slash);
	return least;
}

static bool lists_memory(const char *controllers)
{
	const char *found = strstr(controllers, "memory");

	return found && (found == controllers || found[-1] == ',') && (!found[6] || found[6] == ',');
}

/* Reads a line, "4:cpu,memory:/path", or "0::/path" for the v2 hierarchy. */
static uint64_t limit_of_line(const char *root, const struct cgroup_mounts *mounts, char *line)
{
	char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
	uint64_t least = UINT64_MAX, limit;

	if (!path)
		return UINT64_MAX;
	*controllers++ = '\0';
	*path++ = '\0';
	path[strcspn(path, "\n")] = '\0';
	if (!*controllers)
		return mounts->v2 ? least_above(root, mounts->v2, path, "memory.max") : UINT64_MAX;
	for (size_t i = 0; i < mounts->nr_v1 && lists_memory(controllers); i++) {
		_cleanup_free_ char *copy = strdup(path);

		limit = copy ? least_above(root, mounts->v1[i], copy, "memory.limit_in_bytes") : UINT64_MAX;
		if (limit < least)
			least = limit;
	}
	return least;
}

uint64_t memory_limit__read(const char *root)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	uint64_t least = UINT64_MAX, limit;
	struct cgroup_mounts mounts;
	size_t size = 0;
	int fd = cgroup_mounts__read(root, &mounts) ? -1 : path__open(root, "/proc/self/cgroup");

	if (fd >= 0)
		f = fdopen(fd, "r");
	while (f && getline(&line, &size, f) > 0) {
		limit = limit_of_line(root, &mounts, line);
		if (limit < least)
			least = limit;
	}
	if (fd >= 0 && !f)
		close(fd);
	cgroup_mounts__release(&mounts);
	return least;
}
