/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the samples of a task, as instants on a track below that of its calls: each has the name of the function that it is in,
 * and notes of its event, the CPU, and the functions on its path. A path is written once, and meant by its number from then on.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_EXPORT_PERFETTO_SAMPLES_H
#define AUXBPF_EXPORT_PERFETTO_SAMPLES_H

#include "export/perfetto_packet.h"
#include "report/traced_tasks.h"

/* Zero-initialised but for the first two it is valid. */
struct perfetto_samples {
	struct packet_writer *w;
	const struct function_names *names;
	uint32_t nr_paths; /* that have been written */
};

/*
 * Writes the samples of a task, if it has any, below the track @parent. The track takes the number *@uuid, which goes behind it.
 * Returns 0 or -ENOMEM.
 */
int perfetto_samples__write(struct perfetto_samples *samples, const struct traced_task *task, uint64_t parent,
			    uint64_t *uuid) _must_check_ _nonnull_(1, 2, 4);

#endif
