/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes at which triggers snapshots were taken: an instant for each, with the rule and the task, and a track of each CPU, on which
 * a snapshot's trace is a slice in front of the trigger, and the time without trace that the snapshot has cost one behind it. Of a
 * single snapshot a viewer opens the trace at the trigger.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_PERFETTO_TRIGGER_H
#define AUXBPF_EXPORT_PERFETTO_TRIGGER_H

#include "export/perfetto_packet.h"
#include "report/snapshots.h"

/*
 * Writes them, as far as the times of the triggers were told. The tracks take numbers from *@uuid on, which goes behind them.
 * Returns 0 or -ENOMEM.
 */
int perfetto_trigger__write(struct packet_writer *w, const struct snapshot_line *const *snapshots, size_t nr,
			    uint64_t *uuid) _must_check_ _nonnull_(1, 4);

#endif
