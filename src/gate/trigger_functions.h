/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that rules name: BPF programs of bpf/trigger_user.bpf.c and bpf/trigger_function.bpf.c at
 * their entries and returns (gate/function_probes.h). Rules that name a function by the same words share the
 * programs.
 */
#ifndef AUXBPF_GATE_TRIGGER_FUNCTIONS_H
#define AUXBPF_GATE_TRIGGER_FUNCTIONS_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "auxbpf_trigger.h"
#include "base/cleanup.h"
#include "gate/function_probes.h"
#include "gate/trigger_object.h"
#include "rules/trigger_set.h"

struct trigger_functions;

/*
 * Finds the functions of @rules like function_probes__new(), with the same errors. @opts is copied; its list
 * of functions is not used. Logs; 0 or a negative errno.
 */
int trigger_functions__new(const struct trigger_set *rules, const struct function_probes_opts *opts,
			   const int *pids, size_t nr_pids, struct trigger_functions **ret) _must_check_
	_nonnull_(1, 2, 5);

/* The probes, which find the functions and attach to them. */
struct function_probes *trigger_functions__probes(const struct trigger_functions *tf) _nonnull_(1);

/* Sets @to->by_function, the rules of each function. */
void trigger_functions__tell(const struct trigger_functions *tf, struct auxbpf_triggers *to) _nonnull_(1, 2);

/*
 * Loads the programs. Logs; 0 or a negative errno: -EOPNOTSUPP if the trace is to run on after a user
 * function (base->told->after).
 */
int trigger_functions__load(struct trigger_functions *tf, const struct trigger_base *base) _must_check_
	_nonnull_(1, 2);

/* Says which kernel functions nobody has called while the programs were attached. */
void trigger_functions__log_uncalled(const struct trigger_functions *tf) _nonnull_(1);

void trigger_functions__free(struct trigger_functions *tf);

DEFINE_CLEANUP(trigger_functions, struct trigger_functions *, trigger_functions__free)

#endif
