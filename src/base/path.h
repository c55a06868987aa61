/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads and writes files of /sys and /proc under a root that a test can replace. Each function takes the root
 * ("" for the real one) and a format that gives the rest of the path, beginning with "/".
 */
#ifndef AUXBPF_BASE_PATH_H
#define AUXBPF_BASE_PATH_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* Opens a file for reading, close-on-exec. Returns the descriptor or a negative errno. */
int path__open(const char *root, const char *fmt, ...) _must_check_ _nonnull_(1, 2) _printf_format_(2, 3);

/* Opens a directory for reading. Returns NULL with errno set on an error. */
DIR *path__opendir(const char *root, const char *fmt, ...) _must_check_ _nonnull_(1, 2) _printf_format_(2, 3);

/* Tells whether the path exists. */
int path__exists(const char *root, const char *fmt, ...) _nonnull_(1, 2) _printf_format_(2, 3);

/*
 * Reads a small file into @buf as a string, without its last newline. Returns its length or a negative errno,
 * -EFBIG if it does not fit.
 */
int path__read(const char *root, char *buf, size_t size, const char *fmt, ...) _must_check_ _nonnull_(1, 2, 4)
	_printf_format_(4, 5);

/*
 * Appends all that is left to read of a file, which must be the kernel's or ours. Returns 0 or a negative
 * errno.
 */
int path__read_all(int fd, struct buf *b) _must_check_ _nonnull_(2);

/* Reads a file that holds one number, decimal or 0x hexadecimal. Returns 0 or a negative errno. */
int path__read_u64(const char *root, uint64_t *ret, const char *fmt, ...) _must_check_ _nonnull_(1, 2, 3)
	_printf_format_(3, 4);

#endif
