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
 * Of the loaded programs of @skel, which must live as long; the one that stands in for them is loaded if
 * trigger_skips__possible(). Logs; 0 or a negative errno.
 */
int trigger_skips__new(struct auxbpf_bpf *skel, struct trigger_skips **ret) _must_check_ _nonnull_(1, 2);

/*
 * Whether anything can stand in for them: not in the breakpoint way, where the exception of one breakpoint
 * sees no other, nor if the trace runs on behind a trigger, because no timer can be started there. To be
 * known once
 * @skel is configured.
 */
bool trigger_skips__possible(const struct auxbpf_bpf *skel) _nonnull_(1);

/* From here on nothing is skipped. -EOPNOTSUPP if that is not possible, or as skip_watch__new(), whose
 * @address this is. */
int trigger_skips__watch(struct trigger_skips *skips, uint64_t address, int nr_cpus) _must_check_
	_nonnull_(1);

/* Says what was skipped, before it is detached. */
void trigger_skips__log_losses(const struct trigger_skips *skips) _nonnull_(1);

void trigger_skips__free(struct trigger_skips *skips);

DEFINE_CLEANUP(trigger_skips, struct trigger_skips *, trigger_skips__free)

#endif
