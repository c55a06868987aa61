/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of a session's BPF programs, which they get before they are loaded. */
#ifndef AUXBPF_GATE_GATE_CONFIG_H
#define AUXBPF_GATE_GATE_CONFIG_H

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "gate/gate_opts.h"

/*
 * Fills @config from @opts, and makes up the strings that move the gate in the tracepoint way. Each session
 * has its own, because two recorders must not hear each other. 0 or a negative errno.
 */
int gate_config__fill(struct auxbpf_config *config, const struct gate_opts *opts) _must_check_
	_nonnull_(1, 2);

#endif
