/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a plain capture: one snapshot, at the end, of all that the buffers hold then.
 */
#ifndef AUXBPF_SESSION_PLAIN_CAPTURE_H
#define AUXBPF_SESSION_PLAIN_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/capture_file.h"
#include "capture/capture_opts.h"
#include "capture/kept_windows.h"
#include "rings/snapshot_sideband.h"
#include "trace/cpu_trace.h"

struct plain_capture {
	const struct capture_opts *opts;
	struct capture_file *file;
	const struct cpu_traces *traces; /* their events are off */
	struct snapshot_sideband *sideband;
	struct kept_windows *windows; /* NULL if none are kept */
};

/*
 * Writes the file, as the path that it was prepared with. Trace that is older than the sideband is left out,
 * with a warning. @aux_bytes gets the bytes of trace in the file. Logs; 0 or a negative errno.
 */
int plain_capture__write(const struct plain_capture *capture, uint64_t *aux_bytes) _must_check_
	_nonnull_(1, 2);

#endif
