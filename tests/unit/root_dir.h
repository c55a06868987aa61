/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A root directory with files of /proc and /sys that a test writes, for the readers that take a root.
 */
#ifndef AUXBPF_TESTS_ROOT_DIR_H
#define AUXBPF_TESTS_ROOT_DIR_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct root_dir {
	char path[64];
};

static inline bool root_dir__make(struct root_dir *root)
{
	snprintf(root->path, sizeof(root->path), "/tmp/auxbpf_test.XXXXXX");
	return mkdtemp(root->path) != NULL;
}

/* Writes @len bytes to a file, with the directories that lead to it. */
static inline bool root_dir__put_bytes(const struct root_dir *root, const char *name, const void *data,
				       size_t len)
{
	char path[PATH_MAX];
	bool ok;
	char *s;
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	for (s = path + strlen(root->path) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(path, 0700);
		*s = '/';
	}
	f = fopen(path, "w");
	ok = f && fwrite(data, 1, len, f) == len;
	return f && !fclose(f) && ok;
}

static inline bool root_dir__put(const struct root_dir *root, const char *name, const char *text)
{
	return root_dir__put_bytes(root, name, text, strlen(text));
}

static inline void root_dir__remove(const struct root_dir *root)
{
	pid_t pid = fork();

	if (!pid) {
		execlp("rm", "rm", "-r", root->path, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

#endif
