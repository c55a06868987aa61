/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Divides the memory that auxbpf's cgroup may use between snapshots and the records that are kept for them.
 */
#ifndef AUXBPF_RINGS_MEMORY_ROOM_H
#define AUXBPF_RINGS_MEMORY_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/capture_opts.h"

/*
 * Checks that there is room for @spares snapshots of @size bytes each that wait to be written; logs and
 * returns -ENOMEM if not. If the output directory is in memory, written snapshots count too: @max_bytes, the
 * most that they may take (0: any), is lowered to fit, with a warning.
 */
int memory_room__find(const struct capture_opts *opts, unsigned int spares, uint64_t size,
		      uint64_t *max_bytes) _must_check_ _nonnull_(1, 4);

/*
 * Checks that there is room for the sideband that a plain capture or a stream needs for @nr_all CPUs, however
 * often they switch tasks; logs and returns -ENOMEM if not.
 */
int memory_room__check(const struct capture_opts *opts, size_t nr_all) _must_check_ _nonnull_(1);

/*
 * Returns how many bytes the kept windows of the session take: those that the BPF programs keep, and a copy while a
 * capture is written.
 */
uint64_t memory_room__windows(const struct capture_opts *opts) _nonnull_(1);

/*
 * Returns how many bytes of sideband to keep of each of @nr_all CPUs: at most @wanted, and no more than fits
 * beside @spares bytes of waiting snapshots and of windows; 0 if there is no room for any.
 */
size_t memory_room__sideband(const char *root, size_t nr_all, uint64_t spares, size_t wanted) _nonnull_(1);

/*
 * Returns how many bytes of records of mappings to keep. There is a limit because any user has processes, and
 * these can map as much as they like.
 */
size_t memory_room__maps(const char *root) _nonnull_(1);

#endif
