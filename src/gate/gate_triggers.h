/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers in the kernel: the programs of bpf/trigger.bpf.c, what they are told of the rules, and what they
 * tell. A part of the gate: loaded, attached and armed with it.
 */
#ifndef AUXBPF_GATE_GATE_TRIGGERS_H
#define AUXBPF_GATE_GATE_TRIGGERS_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "auxbpf_trigger.h"
#include "base/cleanup.h"
#include "rules/trigger_set.h"

struct auxbpf_bpf;
struct gate_triggers;

struct gate_triggers_opts {
	const struct trigger_set *rules; /* must live as long as what is made of it */
	enum auxbpf_scope scope;
	uint64_t lookback; /* ns; 0: since ever */
	uint64_t after;	   /* ns that the trace runs on when one has fired */
};

/* What the session has beside them; nothing keeps it but the root. */
struct gate_triggers_session {
	const char *root;	 /* of sysfs, tracefs and /proc, "" for the real one */
	struct auxbpf_bpf *skel; /* outlives what is made of it */
	const int *pids;	 /* processes by whose eyes users' functions are found; none: by ours */
	size_t nr_pids;
	bool wait;		/* processes may come that have the files: none is needed now */
	bool skips_are_watched; /* gate_skips__watch_triggers() */
	uint64_t memory_limit;	/* memory_limit__read() */
};

/* Takes what a trigger that has fired tells. */
typedef void (*gate_triggers_fn)(void *ctx, const struct auxbpf_fired *fired);

/* Without rules: the main object need not have what is about triggers. Before it is loaded. */
void gate_triggers__leave_out(struct auxbpf_bpf *skel) _nonnull_(1);

/*
 * The first is to be called once the main object is configured, before it is loaded, and tells its programs
 * of the rules; the second behind that. Log; 0 or a negative errno.
 */
int gate_triggers__new(const struct gate_triggers_opts *opts, const struct gate_triggers_session *session,
		       struct gate_triggers **ret) _must_check_ _nonnull_(1, 2, 3);
int gate_triggers__load(struct gate_triggers *gt) _must_check_ _nonnull_(1);

/* Users' functions are looked for by the eyes of these processes too. Logs; 0 or a negative errno. */
int gate_triggers__add_processes(struct gate_triggers *gt, const int *pids, size_t nr) _must_check_
	_nonnull_(1);

/*
 * Attach, and begin to note what tasks do: the first all but the program of sched_switch, to be called before
 * the gate's own programs are attached, and the second that one, behind them: so that a trace ends where its
 * task is back. @session knows whether programs of tracepoints can be preempted
 * (gate_skips__find_preemption()). Nothing fires before it is armed. Log; 0 or a negative errno.
 */
int gate_triggers__attach(struct gate_triggers *gt, const struct auxbpf_session *session) _must_check_
	_nonnull_(1, 2);
int gate_triggers__attach_switch(struct gate_triggers *gt) _must_check_ _nonnull_(1);

/* Nothing fires any more. */
void gate_triggers__detach(struct gate_triggers *gt) _nonnull_(1);

/* A descriptor that polls readable when something has fired, for gate_triggers__consume(). */
int gate_triggers__fd(const struct gate_triggers *gt) _nonnull_(1);
void gate_triggers__consume(struct gate_triggers *gt, gate_triggers_fn fn, void *ctx) _nonnull_(1, 2);

/* What the programs count of rule @rule, and are told while they run. */
struct auxbpf_trigger_state *gate_triggers__state(const struct gate_triggers *gt, uint32_t rule) _nonnull_(1);

/* Says which functions of the kernel nobody called, and what events the programs were not shown. */
void gate_triggers__log_losses(const struct gate_triggers *gt) _nonnull_(1);

void gate_triggers__free(struct gate_triggers *gt);

DEFINE_CLEANUP(gate_triggers, struct gate_triggers *, gate_triggers__free)

#endif
