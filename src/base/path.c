// SPDX-License-Identifier: GPL-2.0-only
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

static int _printf_format_(3, 0) path_format(char *path, const char *root, const char *fmt, va_list args)
{
	int n = snprintf(path, PATH_MAX, "%s", root);
	int m;

	if (n < 0 || n >= PATH_MAX)
		return -ENAMETOOLONG;
	m = vsnprintf(path + n, (size_t)(PATH_MAX - n), fmt, args);
	return m < 0 || m >= PATH_MAX - n ? -ENAMETOOLONG : 0;
}

#define FORMAT_PATH(path, root, fmt)                                    \
	({                                                              \
		va_list format_args;                                    \
		int format_err;                                         \
                                                                        \
		va_start(format_args, fmt);                             \
		format_err = path_format(path, root, fmt, format_args); \
		va_end(format_args);                                    \
		format_err;                                             \
	})

static int open_path(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int path__open(const char *root, const char *fmt, ...)
{
	char path[PATH_MAX];
	int err = FORMAT_PATH(path, root, fmt);

	return err ? err : open_path(path, O_RDONLY);
}

DIR *path__opendir(const char *root, const char *fmt, ...)
{
	char path[PATH_MAX];
	int err = FORMAT_PATH(path, root, fmt);

	if (err) {
		errno = -err;
		return NULL;
	}
	return opendir(path);
}

int path__exists(const char *root, const char *fmt, ...)
{
	char path[PATH_MAX];

	return !FORMAT_PATH(path, root, fmt) && !access(path, F_OK);
}

static int read_string(const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = open_path(path, O_RDONLY);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return fd;
	while ((n = read(fd, buf + len, size - len)) > 0) {
		len += (size_t)n;
		if (len == size)
			return -EFBIG;
	}
	if (n < 0)
		return -errno;
	if (len && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	return (int)len;
}

int path__read(const char *root, char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	int err = FORMAT_PATH(path, root, fmt);

	return err ? err : read_string(path, buf, size);
}

int path__read_all(int fd, struct buf *b)
{
	char chunk[1 << 16];
	ssize_t n = 0;

	while (!buf__error(b) && (n = read(fd, chunk, sizeof(chunk))) > 0)
		buf__add(b, chunk, (size_t)n);
	return n < 0 ? -errno : buf__error(b);
}

int path__read_u64(const char *root, uint64_t *ret, const char *fmt, ...)
{
	char path[PATH_MAX], val[64];
	int err = FORMAT_PATH(path, root, fmt);

	if (err)
		return err;
	err = read_string(path, val, sizeof(val));
	return err < 0 ? err : parse__u64(val, ret);
}
