/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the windows of a task, as slices on tracks below that of its calls. Windows that overlap are on tracks of their own, as
 * they need not lie inside of one another.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_PERFETTO_WINDOWS_H
#define AUXBPF_EXPORT_PERFETTO_WINDOWS_H

#include "export/perfetto_packet.h"
#include "report/windows.h"

/*
 * Writes @nr windows of one task, by their begin, below the track @parent. Their tracks take numbers from *@uuid on, which goes
 * behind them. Returns 0 or -ENOMEM.
 */
int perfetto_windows__write(struct packet_writer *w, const struct window *const *windows, size_t nr,
			    uint64_t parent, uint64_t *uuid) _must_check_ _nonnull_(1, 2, 5);

#endif
