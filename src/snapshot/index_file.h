/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of lines that grows at its end and loses its oldest lines past a limit. A reader who follows it by
 * name, as tail -F does, sees all lines.
 */
#ifndef AUXBPF_SNAPSHOT_INDEX_FILE_H
#define AUXBPF_SNAPSHOT_INDEX_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct index_file;

struct index_file_opts {
	int dirfd; /* this and @dir outlive the file; @dir is for messages */
	const char *dir;
	const char *name;
	bool sync;    /* a line is on the disk when it is added */
	uint64_t max; /* above so many bytes, only the newest half of them stays; 0: no limit */
};

/*
 * Opens the file and makes it, with mode 0600, if it is not there. An existing one must be a regular file of
 * our own that no one else can write; a last line without an end is dropped. Logs; 0 or a negative errno.
 */
int index_file__open(const struct index_file_opts *opts, struct index_file **ret) _must_check_
	_nonnull_(1, 2);

/*
 * Appends a line of @len bytes with its newline, all of it or nothing. If the file is gone it is made anew,
 * which is logged. If old lines cannot be dropped, that is logged and is no error. 0 or a negative errno.
 */
int index_file__add(struct index_file *file, const char *line, size_t len) _must_check_ _nonnull_(1, 2);

/* Returns the file's length, as this process knows it. May be called by any thread. */
uint64_t index_file__size(const struct index_file *file) _nonnull_(1);

void index_file__close(struct index_file *file);

DEFINE_CLEANUP(index_file, struct index_file *, index_file__close)

#endif
