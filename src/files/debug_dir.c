// SPDX-License-Identifier: GPL-2.0-only
#include "files/debug_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "files/build_ids.h"
#include "files/vdso.h"

/* The depth at which the files are: below debug, .build-id, the first two digits, the other digits. */
#define DEPTH 3

void debug_dir__name(const struct build_id *id, const char *what, char *name)
{
	char path[BUILD_ID_PATH_SIZE];

	build_id__path(id, path);
	snprintf(name, DEBUG_DIR_NAME_SIZE, DEBUG_DIR "/%s/%s", path, what);
}

static bool is_uprobes(const char *name, int depth)
{
	return !depth && !strcmp(name, &DEBUG_DIR_UPROBES[sizeof(DEBUG_DIR)]);
}

static bool belongs(const char *name, int depth)
{
	if (!depth)
		return !strcmp(name, ".build-id");
	if (depth == DEPTH)
		return !strcmp(name, DEBUG_DIR_ELF) || !strcmp(name, VDSO_FILE);
	return !name[strspn(name, "0123456789abcdef")];
}

static int visit(int parent, const char *name, int depth, bool remove);

static int visit_entry(int dirfd, const char *name, int depth, bool remove)
{
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return 0;
	if (!belongs(name, depth) && !is_uprobes(name, depth))
		return -ENOTEMPTY;
	if (depth < DEPTH && !is_uprobes(name, depth))
		return visit(dirfd, name, depth + 1, remove);
	return remove && unlinkat(dirfd, name, 0) ? -errno : 0;
}

/* Checks a directory and all in it, or removes them; -ENOTEMPTY if there is something that is not ours. */
static int visit(int parent, const char *name, int depth, bool remove)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err = 0;
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (entry = readdir(dir)))
		err = visit_entry(fd, entry->d_name, depth, remove);
	if (!err && remove && unlinkat(parent, name, AT_REMOVEDIR))
		err = -errno;
	return err;
}

int debug_dir__check(int dirfd)
{
	int err = visit(dirfd, DEBUG_DIR, 0, false);

	return err == -ENOENT ? 0 : err;
}

void debug_dir__remove(int dirfd)
{
	(void)!visit(dirfd, DEBUG_DIR, 0, true);
}
