/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DIR/index.ndjson: one line of JSON for each snapshot when it becomes a file, and one when it is removed.
 */
#ifndef AUXBPF_SNAPSHOT_SNAPSHOT_INDEX_H
#define AUXBPF_SNAPSHOT_SNAPSHOT_INDEX_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "rules/trigger.h"
#include "snapshot/snapshot_dir.h"
#include "snapshot/snapshot_job.h"

struct snapshot_index;

/*
 * Opens the index of @dir, which must outlive it, to append to it; @root is that of /proc and /sys. With
 * @sync a line is on the disk when it is added. The index takes at most a sixteenth of the @max_bytes that
 * the directory may have (0: no limit); above that, the oldest half of its lines is dropped. Logs; 0 or a
 * negative errno.
 */
int snapshot_index__open(const struct snapshot_dir *dir, const char *root, bool sync, uint64_t max_bytes,
			 struct snapshot_index **ret) _must_check_ _nonnull_(1, 2, 5);

/* Adds the line of @job, which @rule fired, as a whole or not at all. 0 or a negative errno. */
int snapshot_index__add(struct snapshot_index *index, const struct snapshot_job *job,
			const struct trigger *rule) _must_check_ _nonnull_(1, 2, 3);

/*
 * Adds a line which says that the snapshot @name was removed, as a whole or not at all. 0 or a negative
 * errno.
 */
int snapshot_index__add_removed(struct snapshot_index *index, const char *name) _must_check_ _nonnull_(1, 2);

/* Returns the length of the index. May be called by any thread. */
uint64_t snapshot_index__bytes(const struct snapshot_index *index) _nonnull_(1);

void snapshot_index__close(struct snapshot_index *index);

DEFINE_CLEANUP(snapshot_index, struct snapshot_index *, snapshot_index__close)

#endif
