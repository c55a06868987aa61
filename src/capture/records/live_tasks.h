/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks that live and what they have mapped, read from /proc: all of targets, and of strangers what there
 * is room and time for, so that nobody but a target decides how long that takes.
 */
#ifndef AUXBPF_CAPTURE_RECORDS_LIVE_TASKS_H
#define AUXBPF_CAPTURE_RECORDS_LIVE_TASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "files/file_helper.h"

/*
 * Ready for use when the first four members are set and file_helper__init() was called: then without targets
 * and limits.
 */
struct live_tasks {
	const char *root; /* that of /proc */
	size_t trailer;	  /* of the records */
	bool data;	  /* what is mapped beside code has records too */
	bool namespaces;  /* namespaces have records */
	size_t max_maps;  /* bytes of records of what strangers have mapped, and a few seconds; 0: all */
	int *targets;	  /* processes whose mappings are always read, and first */
	size_t nr_targets;
	bool told;
	struct file_helper helper;
};

/* Sets the targets to a copy of the list. 0 or -ENOMEM. */
int live_tasks__set_targets(struct live_tasks *tasks, const int *targets, size_t nr) _must_check_
	_nonnull_(1);

/*
 * Appends records of the tasks that live now. What there is no room for is left out, which is logged once. 0,
 * -ENOMEM, or the error of opening /proc.
 */
int live_tasks__read(struct live_tasks *tasks, struct buf *b) _must_check_ _nonnull_(1, 2);

void live_tasks__release(struct live_tasks *tasks) _nonnull_(1);

#endif
