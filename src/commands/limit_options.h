/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options that bound how many snapshots are taken and what they take on the disk.
 */
#ifndef AUXBPF_COMMANDS_LIMIT_OPTIONS_H
#define AUXBPF_COMMANDS_LIMIT_OPTIONS_H

#include "base/cleanup.h"
#include "snapshot/snapshot_limits.h"

/* The numbers of the options; those of snapshot_options.h are smaller. */
enum {
	OPT_MAX_RATE = 640,
	OPT_MAX_SNAPSHOTS,
	OPT_COOL_DOWN,
	OPT_MAX_SIZE,
	OPT_WHEN_FULL,
	OPT_MIN_FREE,
	OPT_LIMIT_END,
};

/* The limits without any of the options. */
extern const struct snapshot_limits_opts limit_options__default;

/* Reads option @opt with its argument @arg. Logs what is wrong; 0 or -EINVAL. */
int limit_options__parse(struct snapshot_limits_opts *o, int opt, const char *arg) _must_check_
	_nonnull_(1, 3);

/* Returns the option's name, like "--max-rate". */
const char *limit_options__name(int opt);

#endif
