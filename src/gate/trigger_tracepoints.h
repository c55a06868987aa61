/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints that rules name, each with an object of bpf/trigger_tracepoint.bpf.c. */
#ifndef AUXBPF_GATE_TRIGGER_TRACEPOINTS_H
#define AUXBPF_GATE_TRIGGER_TRACEPOINTS_H

#include "base/cleanup.h"
#include "gate/trigger_object.h"
#include "rules/trigger_set.h"

struct trigger_tracepoints;

/* Loads an object for each tracepoint of @rules. @root is that of tracefs. Logs; 0 or a negative errno. */
int trigger_tracepoints__new(const struct trigger_set *rules, const char *root,
			     const struct trigger_base *base, struct trigger_tracepoints **ret) _must_check_
	_nonnull_(1, 2, 3, 4);

/* Attaches the programs. Logs; 0 or a negative errno. */
int trigger_tracepoints__attach(struct trigger_tracepoints *tt) _must_check_ _nonnull_(1);
void trigger_tracepoints__detach(struct trigger_tracepoints *tt) _nonnull_(1);

/* Says how many events the programs did not see. */
void trigger_tracepoints__log_losses(const struct trigger_tracepoints *tt) _nonnull_(1);

void trigger_tracepoints__free(struct trigger_tracepoints *tt);

DEFINE_CLEANUP(trigger_tracepoints, struct trigger_tracepoints *, trigger_tracepoints__free)

#endif
