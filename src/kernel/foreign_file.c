// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/foreign_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Whatever has its name by now. */
int foreign_file__reopen(int found)
{
	char path[32];
	struct stat st;
	int fd;

	if (fstat(found, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return FOREIGN_FILE_NOT_REGULAR;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int foreign_file__find(int root, const char *path)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

int foreign_file__open(int root, const char *path)
{
	_cleanup_close_ int found = foreign_file__find(root, path);

	return found < 0 ? found : foreign_file__reopen(found);
}

int foreign_file__open_here(const char *path)
{
	_cleanup_close_ int found = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	return found < 0 ? -errno : foreign_file__reopen(found);
}

int foreign_file__find_mapped(const char *root, uint32_t pid, uint64_t start, uint64_t end)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/proc/%u/map_files/%llx-%llx", root, pid,
		     (unsigned long long)start, (unsigned long long)end) >= PATH_MAX)
		return -ENAMETOOLONG;
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int foreign_file__open_mapped(const char *root, uint32_t pid, uint64_t start, uint64_t end)
{
	_cleanup_close_ int found = foreign_file__find_mapped(root, pid, start, end);

	return found < 0 ? found : foreign_file__reopen(found);
}

int foreign_file__read(int fd, size_t max, struct buf *b)
{
	char chunk[1 << 16];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		at += n;
		if ((size_t)at > max)
			return -EFBIG;
		buf__add(b, chunk, (size_t)n);
		if (buf__error(b))
			return buf__error(b);
	}
	return n < 0 ? -errno : buf__error(b);
}
