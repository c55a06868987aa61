/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sideband from before the trace begins: of what ran while a session starts nothing is traced.
 */
#ifndef AUXBPF_SESSION_SIDEBAND_START_H
#define AUXBPF_SESSION_SIDEBAND_START_H

#include <stddef.h>

#include "kernel/capture_file.h"
#include "kernel/cpu_trace.h"

/*
 * Drains the rings of @nr CPUs; of the switches only the last of each CPU stays. A start takes a while, and
 * on a machine that switches all the time the rings would be full long before: so this is done after each of
 * its steps. The last time shows the file all that was in them, before that it is NULL. 0 or a negative errno.
 */
int sideband_start__drain(struct cpu_trace *cpus, size_t nr, struct capture_file *file) _must_check_
	_nonnull_(1);

#endif
