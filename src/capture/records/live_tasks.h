/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which tasks live and what they have mapped, read from /proc: of targets all, of strangers as far as there is room
 * and time, so that nobody but a target decides how long that takes.
 */
#ifndef AUXBPF_CAPTURE_RECORDS_LIVE_TASKS_H
#define AUXBPF_CAPTURE_RECORDS_LIVE_TASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "files/file_helper.h"

/* Without targets and limits once the first four are set, and file_helper__init() was called. */
struct live_tasks {
	const char *root; /* of /proc */
	size_t trailer;	  /* of the records */
	bool data;	  /* what is mapped beside code is told of */
	bool namespaces;  /* so are namespaces */
	size_t max_maps;  /* bytes of records of what strangers have mapped, and a few seconds; 0: all */
	int *targets;	  /* those whose mappings are always read, and first */
	size_t nr_targets;
	bool told;
	struct file_helper helper;
};

/* Makes a copy of the list. 0 or -ENOMEM. */
int live_tasks__set_targets(struct live_tasks *tasks, const int *targets, size_t nr) _must_check_
	_nonnull_(1);

/*
 * Appends records of the tasks that live now. What has no room is left out, which is said once. 0, -ENOMEM, or the
 * error of opening /proc.
 */
int live_tasks__read(struct live_tasks *tasks, struct buf *b) _must_check_ _nonnull_(1, 2);

void live_tasks__release(struct live_tasks *tasks) _nonnull_(1);

#endif
