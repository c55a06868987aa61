/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the arguments of options about samples of regular events.
 */
#ifndef AUXBPF_COMMANDS_SAMPLE_OPTIONS_H
#define AUXBPF_COMMANDS_SAMPLE_OPTIONS_H

#include "base/cleanup.h"
#include "trace/sample_set.h"

/* Reads the argument of --call-graph: "fp", "dwarf", "dwarf,4096". Logs what is wrong; 0 or -EINVAL. */
int sample_options__callers(const char *text, struct sample_opts *ret) _must_check_ _nonnull_(1, 2);

/* Reads the argument of --aux-sample: a size, or NULL for the default. Logs what is wrong; 0 or -EINVAL. */
int sample_options__aux(const char *text, struct sample_opts *ret) _must_check_ _nonnull_(2);

#endif
