/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The windows of --on-function: the BPF programs of the main object (bpf/auxbpf.bpf.c) and of
 * bpf/window_function.bpf.c at the entries and returns of functions (gate/function_probes.h).
 */
#ifndef AUXBPF_GATE_FUNCTION_WINDOWS_H
#define AUXBPF_GATE_FUNCTION_WINDOWS_H

#include <bpf/libbpf.h>

#include "auxbpf_shared.h"
#include "base/cleanup.h"
#include "gate/function_probes.h"

struct function_windows;

/* Finds all functions like function_probes__new(), with the same errors. */
int function_windows__new(const struct function_probes_opts *opts, const int *pids, size_t nr_pids,
			  struct function_windows **ret) _must_check_ _nonnull_(1, 4);

/* The probes, which find the functions and attach to them. */
struct function_probes *function_windows__probes(const struct function_windows *fw) _nonnull_(1);

/*
 * Loads a BPF object for each kernel function; it shares the maps of @main. @entry and @leave run at user
 * functions. Logs; 0 or a negative errno.
 */
int function_windows__load(struct function_windows *fw, const struct auxbpf_config *config,
			   struct bpf_object *main, struct bpf_program *entry,
			   struct bpf_program *leave) _must_check_ _nonnull_(1, 2, 3, 4, 5);

/* Says which kernel functions nobody has called while the programs were attached. */
void function_windows__log_uncalled(const struct function_windows *fw) _nonnull_(1);

void function_windows__free(struct function_windows *fw);

DEFINE_CLEANUP(function_windows, struct function_windows *, function_windows__free)

#endif
