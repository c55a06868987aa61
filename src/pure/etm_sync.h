/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sync points in the trace of Arm's ETMv4 and ETE: A-Sync packets, with the time of the first time stamp
 * behind each (Arm Embedded Trace Macrocell Architecture Specification, ARM IHI 0064; of the trace itself, as
 * TRBE has it, not in CoreSight's frames).
 */
#ifndef AUXBPF_PURE_ETM_SYNC_H
#define AUXBPF_PURE_ETM_SYNC_H

#include "pure/aux_sync.h"

/* An aux_sync_fn: an A-Sync packet that is whole. */
bool etm_sync__next(const struct span data[2], size_t *at, struct aux_sync *ret) _must_check_
	_nonnull_(1, 2, 3);

#endif
