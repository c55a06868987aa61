/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of the memory that auxbpf's cgroup may use is left for snapshots, and for what is kept until then.
 */
#ifndef AUXBPF_RINGS_MEMORY_ROOM_H
#define AUXBPF_RINGS_MEMORY_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/capture_opts.h"

/*
 * Whether it has room for @spares snapshots, of @size bytes each, that wait to be written; logs and returns -ENOMEM if
 * not. Those that are written count too if their directory is in memory: @max_bytes, which they may take (0: any), is
 * made to keep within that, and that is said.
 */
int memory_room__find(const struct capture_opts *opts, unsigned int spares, uint64_t size,
		      uint64_t *max_bytes) _must_check_ _nonnull_(1, 4);

/*
 * Whether it has room for what a plain capture, or a stream, needs of @nr_all CPUs however much they switch; logs and
 * returns -ENOMEM if not.
 */
int memory_room__check(const struct capture_opts *opts, size_t nr_all) _must_check_ _nonnull_(1);

/*
 * How many bytes of sideband are kept of each of @nr_all CPUs if @wanted are and the spares of snapshots take
 * @spares; 0: not even the least has room.
 */
size_t memory_room__sideband(const char *root, size_t nr_all, uint64_t spares, size_t wanted) _nonnull_(1);

/*
 * How many bytes of records of what tasks have mapped are kept: any user has processes, and these can map as much
 * as they like.
 */
size_t memory_room__maps(const char *root) _nonnull_(1);

#endif
