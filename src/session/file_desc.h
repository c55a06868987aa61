/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of a session are described with: its events, and the ids that they have on each CPU.
 */
#ifndef AUXBPF_SESSION_FILE_DESC_H
#define AUXBPF_SESSION_FILE_DESC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "kernel/capture_file.h"
#include "session/capture.h"

enum {
	FILE_DESC_AUX,
	FILE_DESC_SIDEBAND,
	FILE_DESC_NR,
};

struct file_desc {
	int *cpus; /* an entry a CPU, of these three */
	uint64_t *aux_ids;
	uint64_t *sideband_ids;
	struct perf_event_attr attrs[FILE_DESC_NR];
	struct capture_event events[FILE_DESC_NR];
	struct capture_desc desc; /* without sideband and AUX data; the caller may add to it */
};

/*
 * For @nr CPUs, of which file_desc__set_cpu() then tells; @paused: the events were opened to be paused and
 * resumed. It must stay where it is. 0 or -ENOMEM; file_desc__release() in any case.
 */
int file_desc__init(struct file_desc *f, const struct capture_opts *opts, size_t nr, bool paused) _must_check_
	_nonnull_(1, 2);
void file_desc__set_cpu(struct file_desc *f, size_t i, int cpu, uint64_t aux_id, uint64_t sideband_id)
	_nonnull_(1);
void file_desc__release(struct file_desc *f) _nonnull_(1);

#endif
