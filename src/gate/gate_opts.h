/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of the gate, read by gate.c and by its parts. */
#ifndef AUXBPF_GATE_GATE_OPTS_H
#define AUXBPF_GATE_GATE_OPTS_H

#include <stdbool.h>

#include "auxbpf_shared.h"
#include "gate/gate_triggers.h"
#include "rules/named_cgroups.h"
#include "rules/target_set.h"
#include "rules/window_set.h"

struct gate_opts {
	const char *root; /* of sysfs and tracefs, "" for the real one */
	enum auxbpf_control control;
	const struct target_set *targets;
	const struct window_set *windows;
	const struct named_cgroups *named_cgroups; /* in conditions of windows and triggers; NULL: none */
	int command;	    /* the process that is going to execute the command, 0: none */
	int nr_cpus;	    /* the highest CPU number that may come, plus one */
	bool wait;	    /* gate__take_notices() will be called */
	bool limit_samples; /* gate__limit_samples() will be called */
	bool keep_moves;    /* gate_kept__copy_moves() will be called */
	const struct gate_triggers_opts *triggers; /* NULL: there are none */
};

#endif
