/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes which tasks were on the CPUs: a track for each CPU, with a slice for each time that a task other than the idle one was on
 * it, from the record of the switch to it to that of the switch away.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_PERFETTO_CPUS_H
#define AUXBPF_EXPORT_PERFETTO_CPUS_H

#include "export/exported.h"
#include "export/perfetto_packet.h"

/* Writes the tracks, whose numbers are from *@uuid on, which goes behind them. Returns 0 or -ENOMEM. */
int perfetto_cpus__write(struct packet_writer *w, const struct exported *exported,
			 uint64_t *uuid) _must_check_ _nonnull_(1, 2, 3);

#endif
