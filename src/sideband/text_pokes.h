/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Undoes the changes of the kernel's code that were made while it was copied. PERF_RECORD_TEXT_POKE has the
 * bytes before and after each change (include/uapi/linux/perf_event.h). A decoder makes the changes again as
 * it comes to their records. So the copy must be of the code before the first of them, whichever of them it
 * saw.
 */
#ifndef AUXBPF_SIDEBAND_TEXT_POKES_H
#define AUXBPF_SIDEBAND_TEXT_POKES_H

#include "base/buf.h"
#include "base/cleanup.h"

/* Zero-initialised is empty. */
struct text_pokes {
	struct buf records;
};

/* Keeps the changes among @records, which are whole records of one ring. Returns 0 or -ENOMEM. */
int text_pokes__add(struct text_pokes *pokes, struct span records) _must_check_ _nonnull_(1);

/* Writes @bytes to the copy of the kernel's code at @addr. Returns 0 or a negative errno. */
typedef int (*text_pokes_fn)(void *ctx, uint64_t addr, struct span bytes);

/*
 * Has @write put back what was there before each change from the time @since on, the last one first. The
 * records are of events with @sample_type. Returns 0, -EBADMSG for a record that cannot be, -ENOMEM, or what
 * @write returned.
 */
int text_pokes__undo(const struct text_pokes *pokes, uint64_t sample_type, uint64_t since,
		     text_pokes_fn write, void *ctx) _must_check_ _nonnull_(1, 4);

void text_pokes__release(struct text_pokes *pokes) _nonnull_(1);

#endif
