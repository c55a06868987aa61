// SPDX-License-Identifier: GPL-2.0-only
#include "containers/cgroup_mounts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"

/* The fields of a line of mountinfo that are used; they point into the line. */
struct mount {
	char *root;
	char *point;
	const char *type;
};

/* A space or the like in a path is written as \040. */
static bool is_escape(const char *s)
{
	return s[0] == '\\' && strspn(s + 1, "01234567") >= 3;
}

static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (is_escape(from)) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* A line is "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS". */
static int split(char *line, struct mount *ret)
{
	char *separator = strstr(line, " - "), *save, *field = NULL;

	if (!separator)
		return -EINVAL;
	*separator = '\0';
	ret->type = strtok_r(separator + 3, " \n", &save);
	for (int i = 0; i < 4; i++)
		field = strtok_r(i ? NULL : line, " ", &save);
	ret->root = field;
	ret->point = field ? strtok_r(NULL, " ", &save) : NULL;
	if (!ret->type || !ret->point)
		return -EINVAL;
	unescape(ret->point);
	return 0;
}

static int add_v1(struct cgroup_mounts *mounts, const char *point)
{
	char **v1 = realloc(mounts->v1, (mounts->nr_v1 + 1) * sizeof(*v1));

	if (!v1)
		return -ENOMEM;
	mounts->v1 = v1;
	v1[mounts->nr_v1] = strdup(point);
	return v1[mounts->nr_v1++] ? 0 : -ENOMEM;
}

/* Prefers the whole hierarchy to a part of it that is mounted elsewhere, for a container for example. */
static int add_v2(struct cgroup_mounts *mounts, const struct mount *mount, int *whole)
{
	if (mounts->v2 && (*whole || strcmp(mount->root, "/")))
		return 0;
	*whole = !strcmp(mount->root, "/");
	free(mounts->v2);
	mounts->v2 = strdup(mount->point);
	return mounts->v2 ? 0 : -ENOMEM;
}

int cgroup_mounts__read(const char *root, struct cgroup_mounts *ret)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	int fd = path__open(root, "/proc/self/mountinfo"), whole = 0, err = 0;
	struct mount mount;
	size_t size = 0;

	*ret = (struct cgroup_mounts){0};
	if (fd < 0)
		return fd;
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && getline(&line, &size, f) > 0) {
		if (split(line, &mount))
			continue;
		if (!strcmp(mount.type, "cgroup"))
			err = add_v1(ret, mount.point);
		else if (!strcmp(mount.type, "cgroup2"))
			err = add_v2(ret, &mount, &whole);
	}
	return err;
}

void cgroup_mounts__release(struct cgroup_mounts *mounts)
{
	while (mounts->nr_v1)
		free(mounts->v1[--mounts->nr_v1]);
	free(mounts->v1);
	free(mounts->v2);
	*mounts = (struct cgroup_mounts){0};
}

const char *cgroup_mounts__strip(const char *mount, const char *path)
{
	size_t len = strlen(mount);

	if (strncmp(path, mount, len) || (path[len] && path[len] != '/'))
		return NULL;
	return path + len;
}
