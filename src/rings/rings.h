/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings of the CPUs while a session runs: what they hold of the sideband is drained as it comes, shown to the
 * file, and kept as far as a file may still need it. A stream drains for itself (stream.h).
 */
#ifndef AUXBPF_RINGS_RINGS_H
#define AUXBPF_RINGS_RINGS_H

#include <stddef.h>

#include "base/cleanup.h"
#include "capture/capture_file.h"
#include "trace/cpu_trace.h"
#include "gate/gate.h"
#include "capture/capture_opts.h"
#include "rings/snapshot_sideband.h"
#include "base/waiter.h"

struct rings;

/* What they work with; all of it outlives them. */
struct rings_parts {
	const struct capture_opts *capture;
	struct cpu_trace *cpus;
	size_t nr_cpus;
	size_t nr_all; /* with those behind them of which there is sideband alone */
	const struct gate *gate;
	unsigned int spares;	   /* snapshots that may wait to be written at a time; 0: there are none */
	struct capture_file *file; /* copies the code of BPF programs that may be gone at the end */
};

/*
 * From the return on they are drained while the waiter runs; what is kept is in rings__sideband(). When records
 * were lost, which tasks and BPF programs there are is read anew. Logs; 0 or a negative errno.
 */
int rings__new(const struct rings_parts *parts, struct waiter *waiter, struct rings **ret) _must_check_
	_nonnull_(1, 2, 3);

/* The rings' own. */
struct snapshot_sideband *rings__sideband(const struct rings *rings) _nonnull_(1);

/*
 * Drains all of them now. @ctx is the rings, so that it can be a callback. By any thread; the file is shown
 * records by one at a time. 0 or a negative errno.
 */
int rings__drain(void *ctx) _must_check_ _nonnull_(1);

/* As warnings, what the kernel had no room for, or could not trace. */
void rings__log_losses(const struct rings *rings) _nonnull_(1);

void rings__free(struct rings *rings);

DEFINE_CLEANUP(rings, struct rings *, rings__free)

#endif
