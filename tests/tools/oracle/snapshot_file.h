/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decoded branches of the snapshots of a run.
 */
#ifndef ORACLE_SNAPSHOT_FILE_H
#define ORACLE_SNAPSHOT_FILE_H

#include "decode_text.h"

struct snapshot_file {
	char *name; /* for the report */
	struct decode_text *text;
};

/*
 * Reads @nr texts (decode_text.h). Their names are the lines of the file @names or, if that is NULL, the
 * paths. Returns 0 or a negative errno, of which stderr tells, and NULL then.
 */
int snapshot_files__load(char *const *paths, unsigned int nr, const char *names,
			 struct snapshot_file **ret) _must_check_ _nonnull_(1, 4);
void snapshot_files__free(struct snapshot_file *files, unsigned int nr);

#endif
