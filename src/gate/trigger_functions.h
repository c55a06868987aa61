/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that rules are about: BPF programs of bpf/trigger_user.bpf.c and bpf/trigger_function.bpf.c
 * at their entries and returns (gate/function_probes.h). Rules that name a function by the same words share
 * them.
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
 * Finds the functions of @rules, as function_probes__new(); of @opts, which is copied, the names are not
 * looked at. Logs; 0 or a negative errno.
 */
int trigger_functions__new(const struct trigger_set *rules, const struct function_probes_opts *opts,
			   const int *pids, size_t nr_pids, struct trigger_functions **ret) _must_check_
	_nonnull_(1, 2, 5);

/* What finds and attaches. */
struct function_probes *trigger_functions__probes(const struct trigger_functions *tf) _nonnull_(1);

/* Sets by_function. */
void trigger_functions__tell(const struct trigger_functions *tf, struct auxbpf_triggers *to) _nonnull_(1, 2);

/*
 * Loads what runs at them. Logs; 0 or a negative errno: -EOPNOTSUPP if the trace is to run on behind one of a
 * program (base->told->after).
 */
int trigger_functions__load(struct trigger_functions *tf, const struct trigger_base *base) _must_check_
	_nonnull_(1, 2);

/* Says which of the kernel's functions nobody has called while they were attached. */
void trigger_functions__log_uncalled(const struct trigger_functions *tf) _nonnull_(1);

void trigger_functions__free(struct trigger_functions *tf);

DEFINE_CLEANUP(trigger_functions, struct trigger_functions *, trigger_functions__free)

#endif
