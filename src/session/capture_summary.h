/* SPDX-License-Identifier: GPL-2.0-only */
/* The summary that is logged when the file of a capture, or of a stream, is written. */
#ifndef AUXBPF_SESSION_CAPTURE_SUMMARY_H
#define AUXBPF_SESSION_CAPTURE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/capture_file.h"
#include "capture/capture_opts.h"
#include "gate/gate.h"
#include "trace/cpu_trace.h"

/*
 * Logs the windows, the @aux_bytes of trace and the programs that are in @file. @listed: -C names the CPUs.
 */
void capture_summary__log(const struct capture_opts *opts, const struct gate *gate,
			  const struct capture_file *file, const struct cpu_traces *traces, bool listed,
			  uint64_t aux_bytes) _nonnull_(1, 2, 3, 4);

#endif
