/* SPDX-License-Identifier: GPL-2.0-only */
/* Which captures are exported: one, or the snapshots in a directory. */
#ifndef AUXBPF_EXPORT_CAPTURE_LIST_H
#define AUXBPF_EXPORT_CAPTURE_LIST_H

#include "report/snapshots.h"

struct listed_capture {
	char *path;
	const struct snapshot_line *snapshot; /* its line in the index; NULL: it has none */
};

/* Zero-initialised is empty and valid. */
struct capture_list {
	struct listed_capture *list; /* in the order of the index */
	size_t nr;
	bool is_dir; /* the snapshots in a directory, be it a single one */
	struct snapshots snapshots;
};

struct capture_list_opts {
	const char *path; /* a capture, or a directory of snapshots */
	const char
		*rule;	/* of a directory: the snapshots of this rule alone (snapshots__read()); NULL: all */
	bool one_clock; /* of a directory: those of one boot alone, the newest one */
};

/*
 * Lists them. Snapshots that are not there any more, and those of other boots if these are not wanted, are left out, which is
 * logged. Returns 0; -ENOENT if there is nothing to export, or another negative errno: both are logged, but for -ENOMEM.
 */
int capture_list__read(struct capture_list *captures, const struct capture_list_opts *opts) _must_check_
	_nonnull_(1, 2);
void capture_list__release(struct capture_list *captures) _nonnull_(1);

#endif
