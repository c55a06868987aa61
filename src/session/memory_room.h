/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of the memory that auxbpf's cgroup may use is left for snapshots.
 */
#ifndef AUXBPF_SESSION_MEMORY_ROOM_H
#define AUXBPF_SESSION_MEMORY_ROOM_H

#include "session/recorder.h"

/*
 * Whether it has room for @spares snapshots that wait to be written; logs and returns -ENOMEM if not. Those that
 * are written count too if their directory is in memory: @limits is made to keep within that, and that is said.
 */
int memory_room__find(const struct recorder_parts *parts, unsigned int spares,
		      struct snapshot_limits_opts *limits) _must_check_ _nonnull_(1, 3);

/*
 * How many bytes of records of what tasks have mapped are kept: any user has processes, and these can map as much
 * as they like.
 */
size_t memory_room__maps(const char *root) _nonnull_(1);

#endif
