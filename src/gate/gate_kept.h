/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the gate's programs keep for those who write captures: the moves of the gates, and the windows. It is in
 * memory that both sides see.
 */
#ifndef AUXBPF_GATE_GATE_KEPT_H
#define AUXBPF_GATE_GATE_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_window.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "gate/gate_opts.h"

struct auxbpf_bpf;
struct gate_kept;

/* Sizes the maps, and sets config.keep_moves and config.keep_windows, before the programs are loaded. */
void gate_kept__configure(struct auxbpf_bpf *skel, const struct gate_opts *opts) _nonnull_(1, 2);

/* Maps the memory, once the programs are loaded; @skel must outlive it. Logs; 0 or a negative errno. */
int gate_kept__new(struct auxbpf_bpf *skel, const struct gate_opts *opts, struct gate_kept **ret) _must_check_
	_nonnull_(1, 2, 3);
void gate_kept__free(struct gate_kept *kept);

DEFINE_CLEANUP(gate_kept, struct gate_kept *, gate_kept__free)

/* Copies the last moves of the gate of @cpu (gate/gate_moves.h) to AUXBPF_GATE_MOVES entries. */
void gate_kept__copy_moves(const struct gate_kept *kept, int cpu, uint64_t *to) _nonnull_(1, 3);

/* Whether windows are kept: there are none if the only window is the time in which a target runs. */
bool gate_kept__has_windows(const struct gate_kept *kept) _nonnull_(1);

/* The number of CPUs on which windows may have ended. */
int gate_kept__nr_cpus(const struct gate_kept *kept) _nonnull_(1);

/*
 * Appends the windows that ended on @cpu and are still kept to @to, as struct auxbpf_window, oldest end first.
 * Returns how many have ended there. Look at buf__error().
 */
uint64_t gate_kept__read_windows(const struct gate_kept *kept, int cpu, struct buf *to) _nonnull_(1, 3);

/* Appends the windows that are open, or were when the programs were detached. 0 or a negative errno. */
int gate_kept__read_open(const struct gate_kept *kept, struct buf *to) _must_check_ _nonnull_(1, 2);

#endif
