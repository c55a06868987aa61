/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel skips of the gate's programs of system calls, and what stands in for it. Nothing where the
 * kernel cannot preempt them: then it skips none.
 */
#ifndef AUXBPF_KERNEL_GATE_SKIPS_H
#define AUXBPF_KERNEL_GATE_SKIPS_H

#include <stdbool.h>

#include "kernel/gate.h"
#include "kernel/skip_watch.h"

struct auxbpf_bpf;
struct auxbpf_session;

/*
 * Finds whether programs of tracepoints can be preempted, and where the kernel counts what it skips then, by
 * loaded ones of
 * @skel: session->no_preemption and counting_function. Makes a system call. Logs; 0 or a negative errno.
 */
int gate_skips__find(const struct auxbpf_bpf *skel) _must_check_ _nonnull_(1);

/*
 * If the programs of @skel can be preempted, *@watch sees to what is skipped, or, if it is NULL, *@spares
 * tells that the programs need their spares.
 */
void gate_skips__watch(const struct auxbpf_bpf *skel, const struct gate_opts *opts,
		       struct auxbpf_session *session, struct skip_watch **watch, bool *spares)
	_nonnull_(1, 2, 3, 4, 5);

#endif
