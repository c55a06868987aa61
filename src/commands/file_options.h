/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the arguments of options about the files that are written.
 */
#ifndef AUXBPF_COMMANDS_FILE_OPTIONS_H
#define AUXBPF_COMMANDS_FILE_OPTIONS_H

#include "base/cleanup.h"

/* Reads the argument of -o; the path is @text itself. Logs what is wrong; 0 or -EINVAL. */
int file_options__output(const char *text, const char **path) _must_check_ _nonnull_(1, 2);

/*
 * Reads the argument of --buildid-cache: a directory, or NULL for perf's own in the home directory. A
 * directory that @dir has already is freed; the caller frees the new one. Logs what is wrong; 0 or a negative
 * errno.
 */
int file_options__cache(const char *text, char **dir) _must_check_ _nonnull_(2);

/* Reads the argument of -z: a level, or NULL for the fastest. Logs what is wrong; 0 or -EINVAL. */
int file_options__compression(const char *text, int *level) _must_check_ _nonnull_(2);

#endif
