/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names in a trace by which auxbpf's own work is told from that of the kernel.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_GATE_NAMES_H
#define AUXBPF_CALLS_GATE_NAMES_H

#include <stdbool.h>

#include "base/cleanup.h"

/* Tells whether @name, of a symbol of the kernel's, is that of a BPF program, whosever it is. */
bool gate_names__is_bpf(const char *name) _nonnull_(1);

/* Tells whether it is that of a BPF program of auxbpf, or of a function in one. */
bool gate_names__is_program(const char *name) _nonnull_(1);

/*
 * Tells whether @name is that of a BPF program, or of a function of the kernel's that leads from a tracepoint or
 * a probe to the programs that listen to it.
 */
bool gate_names__is_glue(const char *name) _nonnull_(1);

/* Tells whether such a function leads from the tracepoint sched_switch, at which a task's trace is only interrupted. */
bool gate_names__is_switch(const char *name) _nonnull_(1);

#endif
