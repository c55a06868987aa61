/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of /proc, /sys and runtimes that a fuzzer writes, below one root directory for all inputs.
 */
#ifndef AUXBPF_TESTS_FUZZ_ROOT_H
#define AUXBPF_TESTS_FUZZ_ROOT_H

#include <fcntl.h>
#include <limits.h>

#include "fuzz.h"
#include "root_dir.h"

static struct root_dir fuzz_root;

static inline void fuzz_root__remove(void)
{
	root_dir__remove(&fuzz_root);
}

/* Its path. Made when it is asked for first, removed at the end. */
static inline const char *fuzz_root__path(void)
{
	if (!*fuzz_root.path) {
		/* In memory, if there is such a place: each input writes its files anew. */
		strcpy(fuzz_root.path, "/dev/shm/auxbpf_fuzz.XXXXXX");
		if (!mkdtemp(fuzz_root.path) && !root_dir__make(&fuzz_root))
			abort();
		atexit(fuzz_root__remove);
	}
	return fuzz_root.path;
}

/* Writes a file. */
static inline void fuzz_root__put_bytes(const char *name, const void *data, size_t len)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s%s", fuzz_root__path(), name);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0) {
		if (!root_dir__put_bytes(&fuzz_root, name, data, len))
			abort();
		return;
	}
	if (write(fd, data, len) != (ssize_t)len)
		abort();
	close(fd);
}

/* The next part of the input becomes a file. */
static inline void fuzz_root__put(const char *name, struct fuzz_input *in)
{
	size_t len;
	_cleanup_free_ void *data = fuzz__bytes(in, &len);

	fuzz_root__put_bytes(name, data, len);
}

#endif
