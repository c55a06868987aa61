/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said of a capture, or a stream, when its file is written. */
#ifndef AUXBPF_SESSION_CAPTURE_SUMMARY_H
#define AUXBPF_SESSION_CAPTURE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/capture_file.h"
#include "gate/gate.h"
#include "capture/capture_opts.h"
#include "session/traced_cpus.h"

/* The windows, @aux_bytes of trace and the programs that are in @file. @listed: the CPUs are those of -C. */
void capture_summary__log(const struct capture_opts *opts, const struct gate *gate,
			  const struct capture_file *file, const struct traced_cpus *traced, bool listed,
			  uint64_t aux_bytes) _nonnull_(1, 2, 3, 4);

#endif
