/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of BPF helpers that a session never makes, taken out of its programs before they are loaded.
 *
 * That the verifier finds a call unreachable is too late for bpf_trace_printk(): newer kernels ask for every
 * helper that a program names, and asking for that one switches a tracepoint on in the global ftrace buffer
 * (kernel/trace/bpf_trace.c, bpf_get_trace_printk_proto()).
 */
#ifndef AUXBPF_KERNEL_HELPER_CALLS_H
#define AUXBPF_KERNEL_HELPER_CALLS_H

#include <bpf/libbpf.h>

#include "base/cleanup.h"

/* Replaces all calls of the helper by "r0 = 0". Before the object is loaded; 0 or a negative errno. */
int helper_calls__remove(struct bpf_object *object, enum bpf_func_id helper) _must_check_ _nonnull_(1);

#endif
