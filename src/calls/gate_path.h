/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells auxbpf's own work in a trace from that of the kernel: its BPF programs, what they call (the trace unit's
 * driver among it), and the kernel's functions that only lead to them.
 *
 * Pure: neither file descriptors nor libbpf.
 */
#ifndef AUXBPF_CALLS_GATE_PATH_H
#define AUXBPF_CALLS_GATE_PATH_H

#include "calls/call_tree.h"
#include "calls/function_names.h"

/* Sets is_gate of all calls of @tree that are auxbpf's own work, down to the innermost. */
void gate_path__mark(struct call_tree *tree, const struct function_names *names) _nonnull_(1, 2);

/*
 * Finds how many frames of @stack stay where the trace has ended: with a program of auxbpf among them the trace ends
 * because of it. Its frames are over then, and those that led to it; at the end of a window all are. Without one
 * all stay.
 */
size_t gate_path__keep(const struct call_stack *stack, const struct function_names *names) _must_check_
	_nonnull_(1, 2);

#endif
