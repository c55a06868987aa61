/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file that an export is written to. It gets its name once it is whole, and takes the place of the file that had the
 * name before.
 */
#ifndef AUXBPF_EXPORT_EXPORT_FILE_H
#define AUXBPF_EXPORT_EXPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "files/stage.h"

struct export_file {
	FILE *to;
	const char *path;
	bool is_staged; /* it has no name yet */
	struct stage_target target;
};

/*
 * Opens what is to become @path; NULL and "-" stand for stdout. A device or a pipe is written to as it is. With
 * @is_text it may be a terminal. Logs what is wrong, and returns a negative errno.
 */
int export_file__open(const char *path, bool is_text, struct export_file *ret) _must_check_ _nonnull_(3);

/* Gives it its name. Logs what could not be written, and returns a negative errno: nothing has the name then. */
int export_file__finish(struct export_file *file) _must_check_ _nonnull_(1);

/* Closes it, finished or not. */
void export_file__close(struct export_file *file) _nonnull_(1);

#endif
