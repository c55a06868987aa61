/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes calls and windows as a trace that ui.perfetto.dev opens (perfetto.proto): a track for each task with its calls, of
 * the categories kernel and user, and tracks of its windows and samples below it; of snapshots also their triggers. What was not
 * traced is a slice, an error of the decoder an instant. Time stamps are those of the capture.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_PERFETTO_H
#define AUXBPF_EXPORT_PERFETTO_H

#include <stdio.h>

#include "export/exported.h"

/* Writes the trees of all tasks as they are walked over. Returns 0 or -ENOMEM. */
int perfetto__write(FILE *to, struct exported *exported) _must_check_ _nonnull_(1, 2);

#endif
