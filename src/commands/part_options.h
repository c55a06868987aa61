/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of `auxbpf report` and `auxbpf export` that name a part of a capture. */
#ifndef AUXBPF_COMMANDS_PART_OPTIONS_H
#define AUXBPF_COMMANDS_PART_OPTIONS_H

#include "decode/perf_decoder.h"

/* Take the argument of --task and --time. Return 0, or -EINVAL, which is logged. */
int part_options__set_task(const char *arg, struct decode_opts *opts) _must_check_ _nonnull_(1, 2);
int part_options__set_time(const char *arg, struct decode_opts *opts) _must_check_ _nonnull_(1, 2);

/* Checks that what names one window stands alone. Returns 0, or -EINVAL, which is logged. */
int part_options__check_window(const struct decode_opts *opts) _must_check_ _nonnull_(1);

/* Takes the number that is the argument of @option, --window and the like. Returns 0, or -EINVAL, which is logged. */
int part_options__set_number(const char *option, const char *arg, uint64_t *ret) _must_check_
	_nonnull_(1, 2, 3);

#endif
