/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings of the CPUs while a session runs: their sideband is drained as it comes, shown to the capture
 * file, and kept as long as a file may need it. A stream drains its rings itself (stream.h).
 */
#ifndef AUXBPF_RINGS_RINGS_H
#define AUXBPF_RINGS_RINGS_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/waiter.h"
#include "capture/capture_file.h"
#include "capture/capture_opts.h"
#include "gate/gate.h"
#include "rings/snapshot_sideband.h"
#include "trace/cpu_trace.h"

struct rings;

/* What the rings work with; all of it must outlive them. */
struct rings_parts {
	const struct capture_opts *capture;
	const struct cpu_traces *traces;
	const struct gate *gate;
	unsigned int spares;	   /* snapshots that may wait to be written at a time; 0: there are none */
	struct capture_file *file; /* copies the code of BPF programs that may be gone at the end */
};

/*
 * Makes the rings, which are drained while the waiter runs; what is kept is in rings__sideband(). When
 * records were lost, the tasks and BPF programs that there are get read anew. Logs; 0 or a negative errno.
 */
int rings__new(const struct rings_parts *parts, struct waiter *waiter, struct rings **ret) _must_check_
	_nonnull_(1, 2, 3);

/* Returns the kept sideband, which the rings own. */
struct snapshot_sideband *rings__sideband(const struct rings *rings) _nonnull_(1);

/*
 * Drains all rings now. @ctx is the struct rings, so that this can be a callback. May be called by any
 * thread, but only one at a time shows records to the file. 0 or a negative errno.
 */
int rings__drain(void *ctx) _must_check_ _nonnull_(1);

/* Warns of records that were lost, and of times when the kernel stopped the trace of a CPU. */
void rings__log_losses(const struct rings *rings) _nonnull_(1);

void rings__free(struct rings *rings);

DEFINE_CLEANUP(rings, struct rings *, rings__free)

#endif
