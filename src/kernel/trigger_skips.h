/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel skips of the programs of bpf/trigger.bpf.c, and bpf/trigger_skip.bpf.c, which stands in for
 * them.
 */
#ifndef AUXBPF_KERNEL_TRIGGER_SKIPS_H
#define AUXBPF_KERNEL_TRIGGER_SKIPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct auxbpf_bpf;
struct trigger_skips;

/*
 * Before the programs of @skel are chosen, which must live as long, when it is configured. @counter is where
 * the kernel counts what it skips, 0 if it does not tell. Logs; 0 or a negative errno.
 */
int trigger_skips__new(struct auxbpf_bpf *skel, uint64_t counter, int nr_cpus,
		       struct trigger_skips **ret) _must_check_ _nonnull_(1, 4);

/*
 * Whether on_trigger_skip, which must be loaded then, stands in for them: not in the breakpoint way, where
 * the exception of one breakpoint sees no other, nor if the trace runs on behind a trigger, because no timer
 * can be started there.
 */
bool trigger_skips__are_watched(const struct trigger_skips *skips) _nonnull_(1);

/*
 * From here on nothing is skipped; with @no_preemption, where nothing is anyway, nothing is watched any more.
 * Logs; 0 or a negative errno.
 */
int trigger_skips__attach(struct trigger_skips *skips, bool no_preemption) _must_check_ _nonnull_(1);

/* Says what was skipped, before it is detached. */
void trigger_skips__log_losses(const struct trigger_skips *skips) _nonnull_(1);

void trigger_skips__free(struct trigger_skips *skips);

DEFINE_CLEANUP(trigger_skips, struct trigger_skips *, trigger_skips__free)

#endif
