/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of /sys and /proc under a root that a test can replace: every reader takes the root ("" for the
 * real one) and a format that gives the rest of the path, beginning with "/".
 */
#ifndef AUXBPF_BASE_PATH_H
#define AUXBPF_BASE_PATH_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* Opens for reading, close-on-exec. Returns the descriptor or a negative errno. */
int path__open(const char *root, const char *fmt, ...) _must_check_ _nonnull_(1, 2) _printf_format_(2, 3);

/* Opens a directory for reading. NULL with errno set where it cannot be had. */
DIR *path__opendir(const char *root, const char *fmt, ...) _must_check_ _nonnull_(1, 2) _printf_format_(2, 3);

/* Whether the path is there. */
int path__exists(const char *root, const char *fmt, ...) _nonnull_(1, 2) _printf_format_(2, 3);

/*
 * Reads a small file into @buf as a string, without its last newline. Returns its length or a negative
 * errno; -EFBIG where it does not fit.
 */
int path__read(const char *root, char *buf, size_t size, const char *fmt, ...) _must_check_ _nonnull_(1, 2, 4)
	_printf_format_(4, 5);

/* Appends all that is left to read of an open file of the kernel's or of ours. Returns 0 or a negative errno. */
int path__read_all(int fd, struct buf *b) _must_check_ _nonnull_(2);

/* Reads a file that holds one number, decimal or 0x hexadecimal. Returns 0 or a negative errno. */
int path__read_u64(const char *root, uint64_t *ret, const char *fmt, ...) _must_check_ _nonnull_(1, 2, 3)
	_printf_format_(3, 4);

/* Writes @value to a file that is there. Returns 0 or a negative errno. */
int path__write(const char *root, const char *value, const char *fmt, ...) _must_check_ _nonnull_(1, 2, 3)
	_printf_format_(3, 4);

#endif
