/* SPDX-License-Identifier: GPL-2.0-only */
/* The windows of --on-range, each with an object of bpf/window_range.bpf.c at its two tracepoints. */
#ifndef AUXBPF_GATE_RANGE_WINDOWS_H
#define AUXBPF_GATE_RANGE_WINDOWS_H

#include <bpf/libbpf.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "rules/window_set.h"

struct range_windows;

/*
 * Loads an object for each range of @set, which must live as long; they share the maps of @main. @root is that
 * of /proc. Logs; 0 or a negative errno.
 */
int range_windows__new(const struct window_set *set, const char *root, const struct auxbpf_config *config,
		       struct bpf_object *main, struct range_windows **ret) _must_check_
	_nonnull_(1, 2, 3, 4, 5);

/* Attaches the programs. Logs; 0 or a negative errno. */
int range_windows__attach(struct range_windows *rw) _must_check_ _nonnull_(1);
void range_windows__detach(struct range_windows *rw) _nonnull_(1);

/*
 * Says which tracepoints no task has hit while the programs were attached, and how many hits the programs may
 * have missed.
 */
void range_windows__log_losses(const struct range_windows *rw) _nonnull_(1);

void range_windows__free(struct range_windows *rw);

DEFINE_CLEANUP(range_windows, struct range_windows *, range_windows__free)

#endif
