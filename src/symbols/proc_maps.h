/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what a process has mapped from /proc/PID/maps (proc_pid_maps(5)).
 */
#ifndef AUXBPF_SYMBOLS_PROC_MAPS_H
#define AUXBPF_SYMBOLS_PROC_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct proc_map {
	uint64_t start;
	uint64_t end;
	uint64_t pgoff; /* offset in the file, bytes */
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	uint32_t prot;	/* PROT_READ, ... */
	uint32_t flags; /* MAP_SHARED or MAP_PRIVATE */
	char *name;	/* "" if it has none; @fn may change it */
};

/* The result of proc_maps__some() if a process has more maps than were read. */
#define PROC_MAPS_CUT 1

/*
 * Calls @fn for every executable map, with @data also for every map of a file that can only be read, until it
 * returns something other than 0, which is returned. 0, also for a process that is gone, or -ENOMEM. @root is
 * the directory that has /proc.
 */
int proc_maps__each(const char *root, int pid, bool data, int (*fn)(void *ctx, struct proc_map *map),
		    void *ctx) _must_check_ _nonnull_(1, 4);

/* Does the same and reads little more than @max bytes, because that takes time: PROC_MAPS_CUT if there are
 * more. */
int proc_maps__some(const char *root, int pid, bool data, size_t max,
		    int (*fn)(void *ctx, struct proc_map *map), void *ctx) _must_check_ _nonnull_(1, 5);

#endif
