/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel skips of the programs of bpf/trigger.bpf.c, and bpf/trigger_skip.bpf.c, which stands in for
 * them.
 */
#ifndef AUXBPF_KERNEL_TRIGGER_SKIPS_H
#define AUXBPF_KERNEL_TRIGGER_SKIPS_H

#include "base/cleanup.h"
#include "kernel/trigger_object.h"

struct trigger_bpf;
struct trigger_skips;

/* Loads what stands in for the loaded programs of @skel, which must live as long. Logs; 0 or a negative
 * errno. */
int trigger_skips__new(const struct trigger_bpf *skel, const struct trigger_base *base,
		       struct trigger_skips **ret) _must_check_ _nonnull_(1, 2, 3);

/*
 * From here on nothing is skipped. A negative errno if that cannot be had: in the breakpoint way, where the
 * exception of one breakpoint sees no other; if the trace runs on behind a trigger, because no timer can be
 * started there; and as skip_watch__new(), whose @address this is.
 */
int trigger_skips__watch(struct trigger_skips *skips, uint64_t address, int nr_cpus) _must_check_
	_nonnull_(1);

/* Says what was skipped, before it is detached. */
void trigger_skips__log_losses(const struct trigger_skips *skips) _nonnull_(1);

void trigger_skips__free(struct trigger_skips *skips);

DEFINE_CLEANUP(trigger_skips, struct trigger_skips *, trigger_skips__free)

#endif
