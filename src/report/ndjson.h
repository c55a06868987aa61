/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the files of JSON lines that belong to a capture or to a directory of snapshots. */
#ifndef AUXBPF_REPORT_NDJSON_H
#define AUXBPF_REPORT_NDJSON_H

#include <stdio.h>

#include "base/cleanup.h"

/*
 * Opens @dir/@name. Returns 0, with the file and its path, for the caller to close and to free; -ENOENT, without a message, if
 * there is none, or @dir is no directory; or another negative errno, which is logged.
 */
int ndjson__open(const char *dir, const char *name, char **path, FILE **file) _must_check_
	_nonnull_(1, 2, 3, 4);

#endif
