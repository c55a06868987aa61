/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel skips of the programs of a session, and what stands in for it: one breakpoint on each CPU,
 * for windows and triggers alike. Nothing where the kernel cannot preempt them: then it skips none.
 */
#ifndef AUXBPF_GATE_GATE_SKIPS_H
#define AUXBPF_GATE_GATE_SKIPS_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/gate_opts.h"
#include "gate/skip_watch.h"

struct auxbpf_bpf;

/*
 * Before the programs are chosen. Makes what can see what the kernel skips, *@watch, NULL if nothing can, or
 * nothing is to: then programs of system calls need their spares, which cost every call of the machine as much
 * as those. Logs; 0 or a negative errno.
 */
int gate_skips__find(const struct gate_opts *opts, struct skip_watch **watch) _must_check_ _nonnull_(1, 2);

/*
 * Whether @watch, NULL too, can see to what is skipped of the programs of triggers, which on_trigger_skip must
 * be loaded for: not if the trace runs on behind a trigger, because no timer can be started there.
 */
bool gate_skips__watch_triggers(const struct gate_opts *opts, const struct skip_watch *watch) _nonnull_(1);

/*
 * Finds whether loaded programs of @skel at tracepoints can be preempted: session->no_preemption. Makes a
 * system call. Logs; 0 or a negative errno.
 */
int gate_skips__find_preemption(const struct auxbpf_bpf *skel) _must_check_ _nonnull_(1);

/* Says what was skipped for good. */
void gate_skips__log_losses(const struct auxbpf_bpf *skel) _nonnull_(1);

/*
 * From here on @watch sees to what is skipped of the programs of @skel that are loaded. Logs; 0 or a negative
 * errno.
 */
int gate_skips__attach(const struct gate_opts *opts, struct auxbpf_bpf *skel,
		       struct skip_watch *watch) _must_check_ _nonnull_(1, 2, 3);

#endif
