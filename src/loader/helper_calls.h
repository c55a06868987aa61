/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Removes calls of BPF helpers that a session never makes from its programs before they are loaded.
 *
 * For bpf_trace_printk() it is too late when the verifier finds the call unreachable: newer kernels ask for
 * every helper that a program names, and asking for that one switches a tracepoint on in the global ftrace
 * buffer (kernel/trace/bpf_trace.c, bpf_get_trace_printk_proto()). libbpf could change a program's own
 * instructions, but does not show those of the functions that it calls.
 */
#ifndef AUXBPF_LOADER_HELPER_CALLS_H
#define AUXBPF_LOADER_HELPER_CALLS_H

#include <linux/bpf.h>
#include <stddef.h>

#include "base/cleanup.h"

/*
 * Replaces all calls of the helper by "r0 = 0" in the ELF file of a BPF object, of this machine's byte order.
 * -ENOEXEC if it is no such file.
 */
int helper_calls__remove(void *elf, size_t size, enum bpf_func_id helper) _must_check_ _nonnull_(1);

#endif
