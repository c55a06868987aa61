/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of the options of the flight recorder: what triggers a snapshot, and what is done with it.
 */
#ifndef AUXBPF_COMMANDS_SNAPSHOT_OPTIONS_H
#define AUXBPF_COMMANDS_SNAPSHOT_OPTIONS_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "rules/trigger_set.h"
#include "snapshot/recorder.h"

struct snapshot_options {
	struct trigger_set triggers;
	struct recorder_opts recorder;
	bool on_request;		     /* SIGUSR2 is named */
	const struct condition_names *names; /* that rules ask */
};

/* Sets the defaults; @names must live as long as @o. */
void snapshot_options__init(struct snapshot_options *o, const struct condition_names *names) _nonnull_(1, 2);

/* Each of these reads the argument of one option. Logs what is wrong; 0 or a negative errno. */
int snapshot_options__add_rule(struct snapshot_options *o, const char *rule) _must_check_ _nonnull_(1, 2);
int snapshot_options__add_rules(struct snapshot_options *o, const char *file) _must_check_ _nonnull_(1, 2);
int snapshot_options__set_scope(struct snapshot_options *o, const char *name) _must_check_ _nonnull_(1, 2);
int snapshot_options__set_lookback(struct snapshot_options *o, const char *text) _must_check_ _nonnull_(1, 2);
int snapshot_options__set_after(struct snapshot_options *o, const char *text) _must_check_ _nonnull_(1, 2);
int snapshot_options__set_spares(struct snapshot_options *o, const char *text) _must_check_ _nonnull_(1, 2);
int snapshot_options__set_exec(struct snapshot_options *o, const char *command) _must_check_ _nonnull_(1, 2);

/*
 * To be called behind the last option. @stream: all of the trace is asked for; @given: the last option given
 * that makes no sense without snapshots, or NULL. Logs, also what is probably not meant; 0 or -EINVAL.
 */
int snapshot_options__check(struct snapshot_options *o, const struct window_set *windows, bool stream,
			    const char *given) _must_check_ _nonnull_(1, 2);

/* Takes snapshots on SIGUSR2 as if that was named: for a recording that has nothing but snapshots. */
void snapshot_options__take_on_request(struct snapshot_options *o) _nonnull_(1);

/* Tells whether snapshots are to be taken, rather than one capture. */
bool snapshot_options__wanted(const struct snapshot_options *o) _nonnull_(1);

void snapshot_options__release(struct snapshot_options *o) _nonnull_(1);

#endif
