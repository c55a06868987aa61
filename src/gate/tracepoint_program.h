/* SPDX-License-Identifier: GPL-2.0-only */
/* A BPF program of the type tp_btf at a tracepoint that the user named. */
#ifndef AUXBPF_GATE_TRACEPOINT_PROGRAM_H
#define AUXBPF_GATE_TRACEPOINT_PROGRAM_H

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "rules/tracepoint_name.h"

/*
 * Call it between opening and loading: @prog runs at the tracepoint @event, of the kernel or of a module,
 * which is found in their types (BTF). No two categories have an event of the same name. 0 or a negative errno.
 */
int tracepoint_program__set_target(struct bpf_program *prog, const char *event) _must_check_ _nonnull_(1, 2);

/* Logs that programs for the tracepoint cannot be loaded, because of @err, which libbpf returned. */
void tracepoint_program__log_load_error(const struct tracepoint_name *name, int err) _nonnull_(1);

/* Attaches the loaded program; *@link is to be destroyed. Logs; 0 or a negative errno. */
int tracepoint_program__attach(struct bpf_program *prog, const struct tracepoint_name *name,
			       struct bpf_link **link) _must_check_ _nonnull_(1, 2, 3);

/* Logs that a program cannot be attached to the tracepoint. */
void tracepoint_program__log_attach_error(const struct tracepoint_name *name, int err) _nonnull_(1);

#endif
