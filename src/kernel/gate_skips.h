/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel skips of the gate's programs of system calls, and what stands in for it. Nothing where the
 * kernel cannot preempt them: then it skips none.
 */
#ifndef AUXBPF_KERNEL_GATE_SKIPS_H
#define AUXBPF_KERNEL_GATE_SKIPS_H

#include <stdint.h>

#include "kernel/gate.h"
#include "kernel/skip_watch.h"

struct auxbpf_bpf;

/*
 * Before the programs are chosen. Finds where the kernel counts what it skips, *@counter, 0 if it does not
 * tell, and makes what can see it, *@watch, NULL if nothing can: then the programs of system calls need their
 * spares, which cost every call of the machine as much as those. Logs; 0 or a negative errno.
 */
int gate_skips__find(const struct gate_opts *opts, uint64_t *counter, struct skip_watch **watch) _must_check_
	_nonnull_(1, 2, 3);

/*
 * Finds whether loaded programs of @skel at tracepoints can be preempted: session->no_preemption. Makes a
 * system call. Logs; 0 or a negative errno.
 */
int gate_skips__find_preemption(const struct auxbpf_bpf *skel) _must_check_ _nonnull_(1);

/* From here on on_skip of @skel sees to what is skipped. Logs; 0 or a negative errno. */
int gate_skips__attach(struct auxbpf_bpf *skel, struct skip_watch *watch) _must_check_ _nonnull_(1, 2);

#endif
