/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the records about the kernel's code that still hold: functions and BPF programs that came, and
 * instructions that were changed. When a function goes, the record of its coming is dropped, too, and a
 * change replaces the earlier one of the same bytes. So memory grows with what there is, not with what has
 * happened.
 */
#ifndef AUXBPF_SIDEBAND_KERNEL_LOG_H
#define AUXBPF_SIDEBAND_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"

/*
 * Zero-initialised is empty. The records are whole, oldest first. Those that no longer hold stay for a while.
 */
struct kernel_log {
	struct buf records;
	size_t live; /* bytes that held when the log was last compacted */
};

/*
 * Appends records, which must be later than those in the log. KSYMBOL, BPF_EVENT and TEXT_POKE follow
 * include/uapi/linux/perf_event.h; records of other types always hold. An error is the buffer's, and then
 * nothing was taken.
 */
int kernel_log__add(struct kernel_log *log, struct span records) _must_check_ _nonnull_(1);

/* Tells whether half of the records may no longer hold, and the log is long enough to be worth compacting. */
bool kernel_log__is_due(const struct kernel_log *log) _nonnull_(1);

/* Drops the records that no longer hold. Returns 0, or -ENOMEM: then all of them stay. */
int kernel_log__compact(struct kernel_log *log) _must_check_ _nonnull_(1);

/*
 * Finds what changed while records were lost, and appends records of that to @b. @known are the records that
 * held before. @living are the records that would have come with the BPF programs that exist now. Those of
 * them that are not known are appended as they are. For each known program that is not among them, records of
 * its end are appended, with trailers as in @known. The subjects of @told, which are later records, are left
 * out. Returns 0 or -ENOMEM; an error of the buffer is left in it.
 */
int kernel_log__find_missed(struct span known, struct span living, struct span told,
			    struct buf *b) _must_check_ _nonnull_(4);

void kernel_log__release(struct kernel_log *log) _nonnull_(1);

#endif
