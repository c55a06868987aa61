/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of options that bound how many snapshots are taken and what they take on the disk.
 */
#ifndef AUXBPF_COMMANDS_LIMIT_OPTIONS_H
#define AUXBPF_COMMANDS_LIMIT_OPTIONS_H

#include "base/cleanup.h"
#include "snapshot/snapshot_limits.h"

/* What holds without any of them. */
extern const struct snapshot_limits_opts limit_options__default;

/* Each of these reads the argument of one option. Logs what is wrong; 0 or -EINVAL. */
int limit_options__max_rate(const char *text, struct snapshot_limits_opts *ret) _must_check_ _nonnull_(1, 2);
int limit_options__max_snapshots(const char *text, struct snapshot_limits_opts *ret) _must_check_
	_nonnull_(1, 2);
int limit_options__cool_down(const char *text, struct snapshot_limits_opts *ret) _must_check_ _nonnull_(1, 2);
int limit_options__max_size(const char *text, struct snapshot_limits_opts *ret) _must_check_ _nonnull_(1, 2);
int limit_options__when_full(const char *text, struct snapshot_limits_opts *ret) _must_check_ _nonnull_(1, 2);
int limit_options__min_free(const char *text, struct snapshot_limits_opts *ret) _must_check_ _nonnull_(1, 2);

#endif
