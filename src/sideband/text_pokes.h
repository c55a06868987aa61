/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes of the kernel's code while it was copied: PERF_RECORD_TEXT_POKE tells the bytes before and behind
 * each (include/uapi/linux/perf_event.h). A decoder makes them again as it comes to their records, so the
 * copy must be of the code before the first of them, whichever of them it saw.
 */
#ifndef AUXBPF_SIDEBAND_TEXT_POKES_H
#define AUXBPF_SIDEBAND_TEXT_POKES_H

#include "base/buf.h"
#include "base/cleanup.h"

/* Zero-initialised is none. */
struct text_pokes {
	struct buf records;
};

/* Keeps those of @records, whole records of one ring. 0 or -ENOMEM. */
int text_pokes__add(struct text_pokes *pokes, struct span records) _must_check_ _nonnull_(1);

/* Writes @bytes, of the kernel's code at @addr. 0 or a negative errno. */
typedef int (*text_pokes_fn)(void *ctx, uint64_t addr, struct span bytes);

/*
 * Has @write put back what was there before each change from the time @since on, the last one first. Records
 * have the time of events with @sample_type. 0, -EBADMSG for a record that cannot be, -ENOMEM, or what @write
 * returned.
 */
int text_pokes__undo(const struct text_pokes *pokes, uint64_t sample_type, uint64_t since,
		     text_pokes_fn write, void *ctx) _must_check_ _nonnull_(1, 4);

void text_pokes__release(struct text_pokes *pokes) _nonnull_(1);

#endif
