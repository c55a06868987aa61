/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for programs of a session that the kernel skips: one breakpoint on each CPU serves windows and
 * triggers alike. There is none where the kernel cannot preempt the programs, because then it skips none.
 */
#ifndef AUXBPF_GATE_GATE_SKIPS_H
#define AUXBPF_GATE_GATE_SKIPS_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/gate_opts.h"
#include "gate/skip_watch.h"

struct auxbpf_bpf;

/*
 * Makes *@watch, which can see what the kernel skips; NULL if nothing can see that, or nothing need. With
 * NULL, programs of system calls need their spares, which cost every call of the machine as much as the
 * programs. Call it before the programs are chosen. Logs; 0 or a negative errno.
 */
int gate_skips__find(const struct gate_opts *opts, struct skip_watch **watch) _must_check_ _nonnull_(1, 2);

/*
 * Whether @watch, which may be NULL, can stand in for programs of triggers; on_trigger_skip must be loaded
 * for that. It cannot if the trace runs on after a trigger, because no timer can be started there.
 */
bool gate_skips__watch_triggers(const struct gate_opts *opts, const struct skip_watch *watch) _nonnull_(1);

/*
 * Finds whether loaded programs of @skel at tracepoints can be preempted, and sets session->no_preemption.
 * Makes a system call. Logs; 0 or a negative errno.
 */
int gate_skips__find_preemption(const struct auxbpf_bpf *skel) _must_check_ _nonnull_(1);

/* Says how many events were lost because programs were skipped. */
void gate_skips__log_losses(const struct auxbpf_bpf *skel) _nonnull_(1);

/* From here on @watch stands in for the loaded programs of @skel. Logs; 0 or a negative errno. */
int gate_skips__attach(const struct gate_opts *opts, struct auxbpf_bpf *skel,
		       struct skip_watch *watch) _must_check_ _nonnull_(1, 2, 3);

#endif
