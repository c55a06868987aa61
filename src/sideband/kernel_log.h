/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What records told of the kernel's code: which functions and BPF programs came and went, which instructions
 * were changed. Kept is what still holds: a function that went takes the record of its coming with it, a
 * change the earlier one of the same bytes. So memory grows with what there is, not with what has happened.
 */
#ifndef AUXBPF_SIDEBAND_KERNEL_LOG_H
#define AUXBPF_SIDEBAND_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* Zero-initialised is empty. The records are whole, oldest first, and those to be left out too, for a while. */
struct kernel_log {
	struct buf records;
	size_t live; /* bytes that still held when it was last looked at */
};

/*
 * Appends records, later than those there are. KSYMBOL, BPF_EVENT and TEXT_POKE follow
 * include/uapi/linux/perf_event.h; one of another type always holds. An error is the buffer's, and then
 * nothing was taken.
 */
int kernel_log__add(struct kernel_log *log, struct span records) _must_check_ _nonnull_(1);

/* Whether what no longer holds may be half of it, and enough to be worth a look. */
bool kernel_log__is_due(const struct kernel_log *log) _nonnull_(1);

/* Leaves out what no longer holds. 0 or -ENOMEM: then all of them stay. */
int kernel_log__compact(struct kernel_log *log) _must_check_ _nonnull_(1);

/*
 * Appends what must be added to @known, records that hold, after some were lost: @living are the records by which
 * the BPF programs that there are now would have come. Those of them that are not known are added as they are,
 * and for each program that is known and is not among them, records of its end, with trailers as in @known. What
 * @told, later records, are about is left alone. -ENOMEM, or 0; an error of the buffer is left in it.
 */
int kernel_log__find_missed(struct span known, struct span living, struct span told,
			    struct buf *b) _must_check_ _nonnull_(4);

void kernel_log__release(struct kernel_log *log) _nonnull_(1);

#endif
