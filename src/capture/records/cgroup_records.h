/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records that tell which cgroup an id in samples is: of all cgroups, kept up to date as these come and
 * go.
 *
 * The id is that of the cgroup in the hierarchy of the controller perf_event (perf_event_cgroup_output(),
 * kernel/events/core.c), which here must be that of version 2.
 */
#ifndef AUXBPF_CAPTURE_RECORDS_CGROUP_RECORDS_H
#define AUXBPF_CAPTURE_RECORDS_CGROUP_RECORDS_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"

struct cgroup_records;

/*
 * Notes the cgroups that are there. @root is that of /proc and /sys, and must outlive @ret; @trailer is the
 * length of the records' trailers. Logs; 0, -ENOTSUP where there is no such hierarchy, or another negative
 * errno.
 */
int cgroup_records__new(const char *root, size_t trailer, struct cgroup_records **ret) _must_check_
	_nonnull_(1, 3);
void cgroup_records__free(struct cgroup_records *cgroups);

DEFINE_CLEANUP(cgroup_records, struct cgroup_records *, cgroup_records__free)

/* Must be shown whole records of a ring, as they come. 0 or a negative errno. */
int cgroup_records__follow(struct cgroup_records *cgroups, struct span records) _must_check_ _nonnull_(1);

/* Appends the records. Called by any thread. An error is the buffer's. */
void cgroup_records__add(struct cgroup_records *cgroups, struct buf *b) _nonnull_(1, 2);

#endif
