/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of options about the files that are written.
 */
#ifndef AUXBPF_COMMANDS_FILE_OPTIONS_H
#define AUXBPF_COMMANDS_FILE_OPTIONS_H

#include "base/cleanup.h"

/* Of -z: a level, or NULL for the fastest. Logs what is wrong; 0 or -EINVAL. */
int file_options__compression(const char *text, int *level) _must_check_ _nonnull_(2);

#endif
