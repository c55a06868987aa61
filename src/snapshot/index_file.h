/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of lines that grows at its end and, past a limit, loses its oldest lines: who follows it by name, as
 * tail -F does, sees all of them.
 */
#ifndef AUXBPF_SNAPSHOT_INDEX_FILE_H
#define AUXBPF_SNAPSHOT_INDEX_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct index_file;

struct index_file_opts {
	int dirfd; /* these two outlive it; the second is for messages */
	const char *dir;
	const char *name;
	bool sync;    /* a line is on the disk when it is added */
	uint64_t max; /* past so many bytes only the newest half of that stays; 0: no limit */
};

/*
 * Opens the file, made with mode 0600 if it is not there. What is there must be a regular file of our own that no one
 * else can write; a last line without an end is dropped. Logs; 0 or a negative errno.
 */
int index_file__open(const struct index_file_opts *opts, struct index_file **ret) _must_check_
	_nonnull_(1, 2);

/*
 * Appends @len bytes, which are a line with its newline: all of it or an error, a negative errno. If the file is
 * gone it is made anew, which is logged. That old lines cannot be dropped is logged, and no error.
 */
int index_file__add(struct index_file *file, const char *line, size_t len) _must_check_ _nonnull_(1, 2);

/* How long it is, as this process knows it. Any thread may ask. */
uint64_t index_file__size(const struct index_file *file) _nonnull_(1);

void index_file__close(struct index_file *file);

DEFINE_CLEANUP(index_file, struct index_file *, index_file__close)

#endif
