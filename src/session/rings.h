/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings of the CPUs while a session runs: what they hold of the sideband is drained as it comes, and shown
 * to those that follow it. A stream drains for itself (stream.h).
 */
#ifndef AUXBPF_SESSION_RINGS_H
#define AUXBPF_SESSION_RINGS_H

#include <stddef.h>

#include "base/cleanup.h"
#include "kernel/capture_file.h"
#include "kernel/cpu_trace.h"
#include "session/recorder.h"
#include "session/wait.h"

struct rings;

/*
 * From the return on they are drained while the waiter runs, into the sideband of each of the @nr @cpus, and
 * shown to @file: it copies the code of BPF programs that may be gone at the end. All of these outlive the
 * rings. 0 or a negative errno.
 */
int rings__new(struct cpu_trace *cpus, size_t nr, struct capture_file *file, struct waiter *waiter,
	       struct rings **ret) _must_check_ _nonnull_(1, 3, 4, 5);

/*
 * From here on @recorder is shown what is drained, and keeps of it what it needs; without one all is kept. When
 * records were lost it is shown which tasks there are. 0 or a negative errno.
 */
int rings__set_recorder(struct rings *rings, struct recorder *recorder, struct waiter *waiter) _must_check_
	_nonnull_(1, 2, 3);

/*
 * Drains all of them now. @ctx is the rings, so that it can be a callback. By any thread; the recorder and the
 * file are shown records by one at a time. 0 or a negative errno.
 */
int rings__drain(void *ctx) _must_check_ _nonnull_(1);

/* As warnings, what the kernel had no room for, or could not trace. */
void rings__log_losses(const struct rings *rings) _nonnull_(1);

void rings__free(struct rings *rings);

DEFINE_CLEANUP(rings, struct rings *, rings__free)

#endif
