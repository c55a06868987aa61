/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers in the kernel: the programs of bpf/trigger.bpf.c, what they are told of the rules, and what they
 * tell. They are a part of the gate: loaded, attached and armed with it.
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
	const struct trigger_set *rules; /* must live as long as the triggers */
	enum auxbpf_scope scope;
	uint64_t lookback; /* ns; 0: without limit */
	uint64_t after;	   /* ns that the trace runs on after a trigger */
};

/* The session's part of the options. After gate_triggers__new() only @root and @skel are needed. */
struct gate_triggers_session {
	const char *root;	 /* of sysfs, tracefs and /proc, "" for the real one */
	struct auxbpf_bpf *skel; /* outlives the triggers */
	const int *pids;	 /* user functions are looked for as these see files; none: as we do */
	size_t nr_pids;
	bool wait;		/* processes with the files may come later: none is needed now */
	bool skips_are_watched; /* gate_skips__watch_triggers() */
	uint64_t memory_limit;	/* memory_limit__read() */
};

/* Takes what a trigger tells when it has fired. */
typedef void (*gate_triggers_fn)(void *ctx, const struct auxbpf_fired *fired);

/* Leaves all that is about triggers out of the main object. Call it before that is loaded. */
void gate_triggers__leave_out(struct auxbpf_bpf *skel) _nonnull_(1);

/*
 * gate_triggers__new() tells the programs of the main object about the rules; call it once that object is
 * configured, before it is loaded. Call gate_triggers__load() after that. Log; 0 or a negative errno.
 */
int gate_triggers__new(const struct gate_triggers_opts *opts, const struct gate_triggers_session *session,
		       struct gate_triggers **ret) _must_check_ _nonnull_(1, 2, 3);
int gate_triggers__load(struct gate_triggers *gt) _must_check_ _nonnull_(1);

/* Looks for user functions where these processes see their files too. Logs; 0 or a negative errno. */
int gate_triggers__add_processes(struct gate_triggers *gt, const int *pids, size_t nr) _must_check_
	_nonnull_(1);

/*
 * Attach the programs, which begin to note what tasks do. gate_triggers__attach() attaches all but the one at
 * sched_switch; call it before the gate's own programs are attached. Call gate_triggers__attach_switch()
 * after them, so that a trace ends where its task is back. @session knows whether programs of tracepoints can
 * be preempted (gate_skips__find_preemption()). Nothing fires before the gate is armed. Log; 0 or a negative
 * errno.
 */
int gate_triggers__attach(struct gate_triggers *gt, const struct auxbpf_session *session) _must_check_
	_nonnull_(1, 2);
int gate_triggers__attach_switch(struct gate_triggers *gt) _must_check_ _nonnull_(1);

/* Detaches the programs: nothing fires any more. */
void gate_triggers__detach(struct gate_triggers *gt) _nonnull_(1);

/* A descriptor that polls readable when something has fired, for gate_triggers__consume(). */
int gate_triggers__fd(const struct gate_triggers *gt) _nonnull_(1);
void gate_triggers__consume(struct gate_triggers *gt, gate_triggers_fn fn, void *ctx) _nonnull_(1, 2);

/* The state of rule @rule: what the programs count of it, and what they are told while they run. */
struct auxbpf_trigger_state *gate_triggers__state(const struct gate_triggers *gt, uint32_t rule) _nonnull_(1);

/* Says which kernel functions nobody called, and which events the programs were not shown. */
void gate_triggers__log_losses(const struct gate_triggers *gt) _nonnull_(1);

void gate_triggers__free(struct gate_triggers *gt);

DEFINE_CLEANUP(gate_triggers, struct gate_triggers *, gate_triggers__free)

#endif
