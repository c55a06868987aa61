/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The details of an event in a Perfetto trace: names with numbers or texts.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_PERFETTO_NOTES_H
#define AUXBPF_EXPORT_PERFETTO_NOTES_H

#include <perfetto.pb-c.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

#define PERFETTO_NOTES 12

/* Zero-initialised is empty. Names and texts must outlive it; texts are UTF-8. */
struct perfetto_notes {
	Perfetto__DebugAnnotation all[PERFETTO_NOTES];
	Perfetto__DebugAnnotation *list[PERFETTO_NOTES];
	size_t nr;
};

/* Add one. There is room for PERFETTO_NOTES. A pointer is shown as a hexadecimal number. */
void perfetto_notes__number(struct perfetto_notes *notes, const char *name, uint64_t value) _nonnull_(1, 2);
void perfetto_notes__pointer(struct perfetto_notes *notes, const char *name, uint64_t value) _nonnull_(1, 2);
void perfetto_notes__text(struct perfetto_notes *notes, const char *name, const char *text)
	_nonnull_(1, 2, 3);

/* Adds a text that packet__text() has written with the number @iid. */
void perfetto_notes__interned(struct perfetto_notes *notes, const char *name, uint64_t iid) _nonnull_(1, 2);

/* Gives them to @event, which they must outlive. */
void perfetto_notes__set(struct perfetto_notes *notes, Perfetto__TrackEvent *event) _nonnull_(1, 2);

#endif
